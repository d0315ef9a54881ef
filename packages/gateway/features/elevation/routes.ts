import type { z } from 'zod';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { ElevationActor, ElevationRequest } from '../../../contract/records/elevation.ts';
import { type elevationSchema, elevationRoutes as routes } from '../../../contract/routes/elevations.ts';
import { userCallerId } from '../../../toolwharf/kernel/user-caller.ts';
import type { Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import { hasRight, type Identity } from '../../core/auth/identity.ts';
import { standingPermissions } from '../../core/auth/standing-permissions.ts';
import { permissionsOfRoles } from '../../core/auth/users.ts';
import { noRecord } from '../../core/records/administer.ts';
import { type ApiPorts, implement } from '../../core/rest/route.ts';
import { elevationPorts } from './ports.ts';

type ElevationView = z.output<typeof elevationSchema>;

export const elevationRoutes = [
  implement(routes.listElevations, {
    async handle({ identity }, ports) {
      const all = await ports.of(elevationPorts).list();
      const visible = all.filter((one) => isVisible(one, identity));
      return { elevations: await Promise.all(visible.map((one) => toView(one, identity, ports))) };
    },
  }),
  implement(routes.requestElevation, {
    async handle({ identity, body }, ports) {
      const { user } = identity.caller;
      if (user === undefined)
        throw new ToolwharfError('FORBIDDEN', 'Only people who signed in ask for roles: sign in at the app');
      const wanted = await permissionsOfRoles([body.role], ports.storage.roles);
      if (wanted.size === 0) throw noRecord('role', body.role);
      if ([...wanted].every((permission) => identity.permissions.has(permission)))
        throw new ToolwharfError('CONFLICT', `You have every permission of the role '${body.role}' already`);
      const id = await ports.of(elevationPorts).request({ ...body, user, askedBy: toActor(identity) });
      return show(id, identity, ports);
    },
  }),
  implement(routes.answerElevation, {
    async handle({ params: { elevation: id }, body: { answer }, identity }, ports) {
      const found = await ports.of(elevationPorts).find(id);
      if (await isSamePerson(found, identity, ports))
        throw new ToolwharfError('FORBIDDEN', 'Another person has to answer your request');
      await assertGrants(found, identity, ports);
      await ports.of(elevationPorts).answer(id, answer, toActor(identity));
      return show(id, identity, ports);
    },
  }),
  implement(routes.endElevation, {
    async handle({ params: { elevation: id }, identity, outgoing }, ports) {
      const found = await ports.of(elevationPorts).find(id);
      if (!isVisible(found, identity)) throw new ToolwharfError('NOT_FOUND', `There is no request for a role '${id}'`);
      await ports.of(elevationPorts).end(id, outgoing);
      return show(id, identity, ports);
    },
  }),
];

function isVisible({ user }: ElevationRequest, identity: Identity): boolean {
  return user === identity.caller.user || hasRight(identity, 'roles.grant');
}

async function isSamePerson({ user }: ElevationRequest, identity: Identity, { security }: ApiPorts): Promise<boolean> {
  const { persons } = security;
  if (identity.caller.user === user) return true;
  return (await persons.personOf(identity.caller.id)) === (await persons.personOf(userCallerId(user)));
}

/** Nobody grants what they lack themselves, or have for a limited time only. */
async function assertGrants({ role }: ElevationRequest, identity: Identity, ports: ApiPorts): Promise<void> {
  const own = await standingPermissions(identity, ports);
  const wanted = await permissionsOfRoles([role], ports.storage.roles);
  const missing = [...wanted, 'roles.grant' as const].filter((permission) => !own.has(permission));
  if (missing.length === 0) return;
  const message = `To answer for the role '${role}', you need its permissions in a role of your own that does not end: ${missing.join(', ')}`;
  throw new ToolwharfError('FORBIDDEN', message, { data: { permissions: missing } });
}

async function show(id: string, identity: Identity, ports: ApiPorts): Promise<ElevationView> {
  return toView(await ports.of(elevationPorts).find(id), identity, ports);
}

async function toView(found: Stored<ElevationRequest>, identity: Identity, ports: ApiPorts): Promise<ElevationView> {
  const { revision: _, ...request } = found;
  const isOwn = await isSamePerson(found, identity, ports);
  const isOpen = found.status === 'pending' && !isOwn && hasRight(identity, 'roles.grant');
  const mayAnswer = isOpen && (await assertGrants(found, identity, ports).then(yes, no));
  return { ...request, isOwn, mayAnswer };
}

const yes = () => true;
const no = () => false;

function toActor({ caller: { id, name, client } }: Identity): ElevationActor {
  return { id, name, client: client && { name: client.name, version: client.version } };
}
