import { ToolwharfError } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import { savedRequestRoutes as routes } from '../../../../contract/routes/saved-requests.ts';
import { createId } from '../../../../toolwharf/kernel/create-id.ts';
import { createKeyedMutex } from '../../../../toolwharf/kernel/mutex.ts';
import type { SavedRequest } from '../../../../toolwharf/storage/ports/saved-request-store.ts';
import { hasRight, type Identity, seesAll } from '../../auth/identity.ts';
import { scopeFor } from '../access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../route.ts';

const maxPerCaller = 200;
const maxArgumentBytes = 65_536;
// Counting and adding are one step, so that simultaneous requests stay within the limit.
const perOwner = createKeyedMutex();

export const savedRequestRoutes = [
  implement(routes.listSavedRequests, {
    async handle(request, ports) {
      const { identity } = request;
      const found = await ports.storage.savedRequests.list(identity.caller.id);
      return {
        requests: found.filter((saved) => isVisible(saved, request, ports)).map((saved) => toView(saved, identity)),
      };
    },
  }),
  implement(routes.saveRequest, {
    async handle({ body, identity }, { storage }) {
      assertSmall(body.arguments);
      assertMayShare(body.shared, identity);
      const owner = identity.caller.id;
      const at = new Date().toISOString();
      const saved: SavedRequest = { ...body, id: createId(), owner, createdAt: at, updatedAt: at };
      await perOwner.run(owner, async () => {
        if ((await storage.savedRequests.count(owner)) >= maxPerCaller) {
          const message = `You have ${maxPerCaller} saved requests: delete one first`;
          throw new ToolwharfError('LIMIT_REACHED', message, { data: { limit: maxPerCaller } });
        }
        await storage.savedRequests.put(saved);
      });
      return toView(saved, identity);
    },
  }),
  implement(routes.updateSavedRequest, {
    access: findEditable,
    async handle({ resource, body, identity }, { storage }) {
      if (body.arguments) assertSmall(body.arguments);
      assertMayShare(body.shared === true && !resource.shared, identity);
      const { name, arguments: args, shared } = resource;
      const changed = { name, arguments: args, shared, ...body };
      const saved = { ...resource, ...changed, updatedAt: new Date().toISOString() };
      await storage.savedRequests.put(saved);
      return toView(saved, identity);
    },
  }),
  implement(routes.removeSavedRequest, {
    access: findEditable,
    async handle({ resource }, { storage }) {
      await storage.savedRequests.remove(resource.id);
    },
  }),
];

/** The request of the path. A request that the caller cannot see is reported as not found. */
async function findEditable(
  request: Pick<ApiRequest<{ readonly request: string }>, 'params' | 'identity'>,
  ports: ApiPorts,
): Promise<SavedRequest> {
  const id = request.params.request;
  const saved = await ports.storage.savedRequests.get(id);
  if (!saved || !isVisible(saved, request, ports))
    throw new ToolwharfError('NOT_FOUND', `There is no saved request '${id}'`);
  if (canEdit(saved, request.identity)) return saved;
  throw new ToolwharfError('FORBIDDEN', 'Only its owner and administrators can change this request');
}

function isVisible(saved: SavedRequest, request: Pick<ApiRequest, 'identity'>, ports: ApiPorts): boolean {
  if (saved.owner === request.identity.caller.id) return true;
  if (!saved.shared) return false;
  if (seesAll(request.identity)) return true;
  const entry = ports.toolbox.catalog.find(saved.tool);
  return entry !== undefined && scopeFor(request, ports).hasTool(entry);
}

function canEdit(saved: SavedRequest, identity: Identity): boolean {
  return saved.owner === identity.caller.id || (hasRight(identity, 'requests.share') && saved.shared);
}

function toView({ owner, ...saved }: SavedRequest, identity: Identity) {
  const isOwn = owner === identity.caller.id;
  return { ...saved, isOwn, canEdit: canEdit({ owner, ...saved }, identity) };
}

function assertSmall(args: JsonObject): void {
  if (Buffer.byteLength(JSON.stringify(args)) <= maxArgumentBytes) return;
  throw new ToolwharfError(
    'REQUEST_TOO_LARGE',
    `The arguments of a saved request have at most ${maxArgumentBytes} bytes`,
  );
}

function assertMayShare(shares: boolean, identity: Identity): void {
  if (shares && !hasRight(identity, 'requests.share'))
    throw new ToolwharfError('FORBIDDEN', "Sharing a request with everyone needs the permission 'requests.share'");
}
