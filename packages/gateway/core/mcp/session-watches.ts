import type { JsonObject } from '../../../contract/json.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import type { ClientRequest, RequestUsage } from './client-request.ts';
import { createResourceFinder } from './find-resource.ts';
import type { MethodPorts } from './method-ports.ts';
import type { McpReplicas, SessionState } from './replicas.ts';
import { RpcError, rpcCode, textOf } from './rpc.ts';
import type { Session } from './sessions.ts';

export interface WatchPorts extends Pick<MethodPorts, 'toolbox' | 'logLevels' | 'viewFor'> {
  readonly replicas: Pick<McpReplicas, 'shareState'>;
}

/** How many resources one session or subscription can watch. */
export const maxWatchedUris = 1_000;
const maxUriLength = 8_192;

/** Gives a session the log level and the subscriptions that the client set on another replica. */
export async function applySessionState(
  session: Session,
  { logLevel, watched }: SessionState,
  ports: Pick<WatchPorts, 'toolbox' | 'logLevels'>,
  usage?: RequestUsage,
): Promise<void> {
  session.logLevel = logLevel;
  const wanted = new Map(watched.map(({ uri, server }) => [uri, server]));
  const dropped = [...session.watched.keys()].filter((uri) => !wanted.has(uri));
  await Promise.allSettled([
    ports.logLevels.settle(),
    ...dropped.map((uri) => unwatch(uri, session)),
    ...[...wanted].map(([uri, server]) => watch(uri, server, session, ports, { usage })),
  ]);
}

/** Answers `resources/subscribe`. */
export async function subscribe(request: ClientRequest, session: Session, ports: WatchPorts): Promise<JsonObject> {
  const uri = textOf(request.params.uri);
  const found = await createResourceFinder(await ports.viewFor(request), request, ports)(uri);
  if (!found) throw new RpcError(rpcCode.resourceNotFound, `Resource not found: ${uri}`, { data: { uri } });
  // Updates would arrive under the server's own URI.
  if (found.uri !== uri)
    throw new RpcError(rpcCode.invalidParams, `The resource of an app has no subscriptions: ${uri}`);
  if (session.watched.has(uri)) return {};
  assertWatchable(uri);
  if (session.watched.size >= maxWatchedUris)
    throw new RpcError(rpcCode.invalidParams, `A session can subscribe to ${maxWatchedUris} resources at most`);
  await watch(uri, found.server, session, ports, request);
  await ports.replicas.shareState(session);
  return {};
}

/** Answers `resources/unsubscribe`. */
export async function unsubscribe(uri: string, session: Session, { replicas }: WatchPorts): Promise<JsonObject> {
  await unwatch(uri, session);
  await replicas.shareState(session);
  return {};
}

/** Throws an `RpcError` for a URI that is too long to be kept until its subscription ends. */
export function assertWatchable(uri: string): void {
  if (uri.length <= maxUriLength) return;
  throw new RpcError(rpcCode.invalidParams, `The URI of a subscription can have ${maxUriLength} characters at most`);
}

async function watch(
  uri: string,
  server: string,
  session: Session,
  { toolbox }: Pick<WatchPorts, 'toolbox'>,
  { caller, usage }: { readonly caller?: Caller; readonly usage?: RequestUsage } = {},
): Promise<void> {
  if (session.watched.has(uri)) return;
  const slot = usage?.reserve('subscriptions');
  // A subscription that another replica recorded has no caller here.
  const watching = toolbox.resources.watch(server, uri, { caller });
  const entry = {
    server,
    async end() {
      slot?.[Symbol.dispose]();
      await (await watching)();
    },
  };
  session.watched.set(uri, entry);
  try {
    await watching;
  } catch (cause) {
    slot?.[Symbol.dispose]();
    if (session.watched.get(uri) === entry) session.watched.delete(uri);
    throw cause;
  }
}

async function unwatch(uri: string, session: Session): Promise<void> {
  const entry = session.watched.get(uri);
  session.watched.delete(uri);
  await entry?.end();
}
