import { type ErrorCode, ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { appRoutes as routes } from '../../../contract/routes/apps.ts';
import { appMediaType, toolAppOf } from '../../../toolwharf/catalog/app-tools.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { CallPolicy } from '../../../toolwharf/invocation/authorize.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { exactParts } from '../../../toolwharf/invocation/shape-result.ts';
import { createId } from '../../../toolwharf/kernel/create-id.ts';
import { assertActive } from '../../core/auth/admit-caller.ts';
import { personIds } from '../../core/auth/identity.ts';
import type { AppSources } from '../../core/http/frames.ts';
import { findCall, notOwner, scopeFor } from '../../core/rest/access.ts';
import { type ApiPorts, type ApiRequest, implement } from '../../core/rest/route.ts';
import { readOptions } from '../../core/rest/routes/server-content.ts';
import { assertIdAvailable } from '../../core/rest/routes/tools.ts';
import { grantSources } from './content-policy.ts';

const maxHtmlLength = 8 * 1024 * 1024;

/** The call that opened an app, and its tool. */
interface OpenedBy {
  readonly record: CallRecord;
  readonly server: string;
  readonly entry: CatalogEntry;
}

export const appRoutes = [
  implement(routes.openApp, {
    access: findOpener,
    async handle(request, ports) {
      const { record, server, entry } = request.resource;
      const { resourceUri: uri } = toolAppOf(entry.definition);
      if (uri === undefined) throw noApp(record.id);
      using _slot = request.usage.reserve('reads');
      const contents = await ports.toolbox.resources.read(server, uri, readOptions(request, ports));
      const listed = ports.toolbox.resources.list(server).find(({ item }) => item.uri === uri)?.item;
      const app = readApp({ contents, listed, uri }, ports.toolbox.config.gateway.apps.domains);
      const frameUrl = ports.frames.urlFor(request.incoming, app.sources);
      if (frameUrl === undefined)
        throw new ToolwharfError(
          'NOT_FOUND',
          'Apps cannot be shown on this page: see gateway.apps in the configuration',
        );
      const { name, title, description, inputSchema } = entry.definition;
      return {
        ...app,
        canAct: await canAct(request, ports),
        uri,
        server,
        frameUrl,
        tool: { name, title, description, inputSchema },
        arguments: record.arguments,
        result: record.result,
      };
    },
  }),
  implement(routes.callToolForApp, {
    access: findOpener,
    async handle(request, ports) {
      if (!(await canAct(request, ports))) throw notOwner();
      const { tool, arguments: args = {}, callId } = request.body;
      const { record, server } = request.resource;
      const entry = ports.toolbox.catalog.find({ server, tool });
      if (!entry || !scopeFor(request, ports).hasTool(entry) || !toolAppOf(entry.definition).isForApp)
        throw new ToolwharfError('TOOL_NAME_INVALID', `Server '${server}' has no tool '${tool}' for apps`);
      const isAssistant = record.caller.kind === 'assistant';
      const own = request.identity.caller;
      // The assistant's caller names its owner, whose accounts are not those of an administrator who looks at the call.
      const caller = isAssistant ? { ...record.caller, user: own.user } : own;
      const id = callId ?? createId();
      if (callId !== undefined) await assertIdAvailable(id, ports);
      const policy = () => (isAssistant ? assistantPolicy(entry, request, ports) : ownPolicy(request, ports));
      const call = ports.toolbox.start(entry, args, {
        id,
        isIdFree: true,
        caller,
        calledAs: tool,
        parent: { kind: 'call', id: record.id },
        host: ports.calls.hosts.create({ id, caller }, { results: request.results }),
        policy: await policy(),
        async refreshPolicy() {
          await assertActive(request.identity, ports.storage);
          return policy();
        },
        callerLimits: request.usage.calls,
        signal: request.signal,
      });
      const result = await call.result;
      const { failure, isError, text, truncated } = result;
      const { content, structuredContent, _meta } = exactParts(result);
      if (failure)
        throw new ToolwharfError(failure.code as ErrorCode, failure.message, { data: { ...failure.data, callId: id } });
      return { callId: id, isError, content, text, structuredContent, truncated, _meta };
    },
  }),
];

/** The call of the path, if the caller owns it and may still use its tool, and if the tool has an app. */
async function findOpener(
  request: Pick<ApiRequest<{ readonly call: string }>, 'params' | 'identity'>,
  ports: ApiPorts,
): Promise<OpenedBy> {
  const record = await findCall(request, ports);
  const { server, originalName: tool } = record;
  const isCall = record.kind === undefined && record.status === 'success';
  const entry = isCall && server !== undefined ? ports.toolbox.catalog.find({ server, tool }) : undefined;
  const isEnabled = ports.toolbox.config.gateway.apps.enabled;
  if (!isEnabled || !entry || server === undefined || !scopeFor(request, ports).hasTool(entry)) throw noApp(record.id);
  if (toolAppOf(entry.definition).resourceUri === undefined) throw noApp(record.id);
  return { record, server, entry };
}

/**
 * Whether the app may call tools for this person. The app of an assistant's call acts as the assistant, on behalf of the owner of
 * its conversation. An administrator who looks at it must not act in the name of the assistant.
 */
async function canAct(
  { identity, resource }: Pick<ApiRequest<unknown, unknown, unknown, OpenedBy>, 'identity' | 'resource'>,
  { storage }: ApiPorts,
): Promise<boolean> {
  const { kind, conversation } = resource.record.caller;
  if (kind !== 'assistant') return true;
  const found = conversation === undefined ? undefined : await storage.conversations.get(conversation);
  return found !== undefined && personIds(identity).includes(found.owner);
}

function noApp(call: string): ToolwharfError {
  return new ToolwharfError('NOT_FOUND', `The call '${call}' has no app`);
}

function ownPolicy(request: Pick<ApiRequest, 'identity'>, ports: ApiPorts): CallPolicy {
  const { profile, hasTool } = scopeFor(request, ports);
  return { profile: profile.name, approval: profile.approval, mayUse: hasTool };
}

/** The policy of the assistant, for tools that the person at the app may use as well. */
async function assistantPolicy(
  entry: CatalogEntry,
  request: ApiRequest<unknown, unknown, unknown, OpenedBy>,
  ports: ApiPorts,
): Promise<CallPolicy> {
  const { caller } = request.resource.record;
  const policies = await Promise.all(ports.features.map((feature) => feature.policyOf?.(caller)));
  const policyFor = policies.find((policy) => policy !== undefined);
  if (!policyFor) throw new ToolwharfError('CALL_DENIED', 'The assistant that opened the app is not available');
  const { hasTool } = scopeFor(request, ports);
  const { profile, approval, mayUse } = policyFor(entry);
  return { profile, approval, mayUse: (tool) => hasTool(tool) && (mayUse?.(tool) ?? true) };
}

/** An app as the web app needs it. */
interface ReadApp {
  readonly html: string;
  readonly prefersBorder?: boolean;
  readonly sources: AppSources;
  /** The origins that the app asks for and does not get. */
  readonly refused: readonly string[];
}

interface AppResource {
  /** The result of `resources/read`. */
  readonly contents: JsonObject;
  /** The resource in the list of the server, whose `_meta` applies if the content has none. */
  readonly listed: JsonObject | undefined;
  readonly uri: string;
}

/** Reads the app from its resource. Throws `SERVER_PROTOCOL` if the resource is not an app. */
function readApp({ contents, listed, uri }: AppResource, domains: readonly string[]): ReadApp {
  const parts = Array.isArray(contents.contents) ? contents.contents.filter(isObject) : [];
  const content = parts.find((part) => part.mimeType === appMediaType);
  const html = content && htmlOf(content);
  if (html === undefined)
    throw new ToolwharfError('SERVER_PROTOCOL', `The resource ${uri.slice(0, 200)} is not an app: no ${appMediaType}`);
  if (html.length > maxHtmlLength)
    throw new ToolwharfError('SERVER_PROTOCOL', `The app ${uri.slice(0, 200)} is larger than 8 MiB`);
  const ui = uiOf(content) ?? uiOf(listed) ?? {};
  const { granted, refused } = grantSources(ui.csp, domains);
  return {
    html,
    prefersBorder: typeof ui.prefersBorder === 'boolean' ? ui.prefersBorder : undefined,
    sources: granted,
    refused,
  };
}

function htmlOf({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

function uiOf(item: JsonObject | undefined): JsonObject | undefined {
  return isObject(item?._meta) && isObject(item._meta.ui) ? item._meta.ui : undefined;
}
