import { isObject, type JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { toAccountOwner } from '../auth/account-owner.ts';
import type { WatchedTask } from './call-tasks.ts';
import type { ClientRequest } from './client-request.ts';
import { createResourceFinder } from './find-resource.ts';
import type { MethodPorts } from './method-ports.ts';
import type { Responder } from './responder.ts';
import { metaKey, metaOf, RpcError, type RpcRequest, rpcCode, toResult } from './rpc.ts';
import { assertWatchable, maxWatchedUris } from './session-watches.ts';

/** The open subscriptions of modern clients. */
export interface Subscriptions {
  /** Serves `subscriptions/listen` until the client disconnects or the gateway closes. */
  listen(message: RpcRequest, request: ClientRequest, responder: Responder): Promise<void>;
  /** Notifies subscribers of this kind whose profile is affected. */
  announce(kind: 'tools' | 'prompts' | 'resources', concerns: (profile: ProfileConfig) => boolean): void;
  /** Notifies subscribers of a resource. */
  announceResource(server: string, uri: string, params: JsonObject, audience: ResourceAudience): void;
  readonly open: number;
  close(): void;
}

/** The clients that may be notified of a resource. */
export interface ResourceAudience {
  /** Whether the profile, as it is now, shows the resource. */
  readonly isVisible: (profileName: string) => boolean;
  /** The owner of the account that sees the resource; everybody if undefined. */
  readonly owner?: string;
}

export interface SubscriptionsOptions {
  readonly toolbox: InternalToolbox;
  readonly ports: () => MethodPorts;
}

interface Subscription {
  readonly profile: ProfileConfig;
  /** The id of the caller. */
  readonly caller: string;
  readonly filter: JsonObject;
  /** The subscribed resource URIs, each with its server. */
  readonly uris: ReadonlyMap<string, string>;
  send(method: string, params?: JsonObject): void;
  end(): void;
}

const filterMember = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { toolbox } = options;
  const open = new Set<Subscription>();
  let isClosed = false;

  /** Maps the requested URIs to their servers. Omits URIs that no server has, and those of apps. */
  async function locate(wanted: unknown, request: ClientRequest): Promise<Map<string, string>> {
    const findResource = createResourceFinder(await options.ports().viewFor(request), request, { toolbox });
    const found = new Map<string, string>();
    const uris = Array.isArray(wanted) ? wanted.map(String) : [];
    if (uris.length > maxWatchedUris)
      throw new RpcError(rpcCode.invalidParams, `A subscription can name ${maxWatchedUris} resources at most`);
    for (const uri of uris) {
      assertWatchable(uri);
      const resource = await findResource(uri);
      // Updates of an app's resource would arrive under the server's own URI.
      if (resource?.uri === uri) found.set(uri, resource.server);
    }
    return found;
  }

  /** The requested tasks, without those that the caller cannot see. */
  async function findTasks(wanted: unknown, request: ClientRequest): Promise<ReadonlyMap<string, WatchedTask>> {
    const ids = request.tasks === 'v2' && Array.isArray(wanted) ? [...new Set(wanted.map(String))] : [];
    if (ids.length > maxWatchedUris)
      throw new RpcError(rpcCode.invalidParams, `A subscription can name ${maxWatchedUris} tasks at most`);
    return options.ports().tasks.find(ids, request);
  }

  return {
    get open() {
      return open.size;
    },

    async listen(message, request, responder) {
      const { notifications } = message.params;
      if (!isObject(notifications))
        throw new RpcError(rpcCode.invalidParams, "Invalid params: 'notifications' is needed");
      using _slot = request.usage?.reserve('streams');
      const uris = await locate(notifications.resourceSubscriptions, request);
      const watchedTasks = await findTasks(notifications.taskIds, request);
      using _watched = request.usage?.reserve('subscriptions', uris.size + watchedTasks.size);
      const filter = agreed(notifications, uris, watchedTasks);
      const unwatch: (() => Promise<void>)[] = [];
      await using _unwatch = {
        [Symbol.asyncDispose]: async () => void (await Promise.all(unwatch.map((end) => end()))),
      };
      for (const [server, found] of byServer(uris))
        unwatch.push(await toolbox.resources.watch(server, found, { caller: request.caller }));

      const stamp = { [metaKey.subscriptionId]: message.id };
      const ended = Promise.withResolvers<void>();
      const subscription: Subscription = {
        profile: request.profile,
        caller: request.caller.id,
        filter,
        uris,
        send: (method, params = {}) =>
          responder.send({ jsonrpc: '2.0', method, params: { ...params, _meta: { ...metaOf(params), ...stamp } } }),
        end() {
          responder.finish(toResult(message.id, { resultType: 'complete', _meta: stamp }));
          ended.resolve();
        },
      };
      subscription.send('notifications/subscriptions/acknowledged', { notifications: filter });
      open.add(subscription);
      // The request was accepted before the end.
      if (isClosed) subscription.end();
      const left = new AbortController();
      // Without its store, a client reads the state of its tasks itself.
      for (const task of watchedTasks.values()) announceTask(task, subscription, left.signal).catch(() => {});
      responder.signal.addEventListener('abort', () => ended.resolve(), { once: true });
      if (responder.signal.aborted) ended.resolve();
      await ended.promise;
      left.abort();
      open.delete(subscription);
    },

    announce(kind, concerns) {
      for (const { filter, profile, send } of open) {
        if (filter[filterMember[kind]] === true && concerns(profile)) send(`notifications/${kind}/list_changed`);
      }
    },
    announceResource(server, uri, params, { isVisible, owner }) {
      for (const { uris, profile, caller, send } of open) {
        if (owner !== undefined && owner !== toAccountOwner(caller)) continue;
        if (uris.get(uri) === server && isVisible(profile.name)) send('notifications/resources/updated', params);
      }
    },
    close() {
      isClosed = true;
      for (const subscription of open) subscription.end();
    },
  };
}

/** The URIs of each server: one subscription at each. */
function byServer(uris: ReadonlyMap<string, string>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [uri, server] of uris) found.set(server, [...(found.get(server) ?? []), uri]);
  return found;
}

/** The part of the requested subscription that the gateway accepts. */
function agreed(
  wanted: JsonObject,
  uris: ReadonlyMap<string, string>,
  tasks: ReadonlyMap<string, WatchedTask>,
): JsonObject {
  const kinds = Object.values(filterMember).filter((member) => wanted[member] === true);
  return {
    ...Object.fromEntries(kinds.map((member) => [member, true])),
    ...(Array.isArray(wanted.resourceSubscriptions) && { resourceSubscriptions: [...uris.keys()] }),
    ...(Array.isArray(wanted.taskIds) && { taskIds: [...tasks.keys()] }),
  };
}

/** Sends the task now and whenever its status changes. */
async function announceTask(task: WatchedTask, { send }: Subscription, left: AbortSignal): Promise<void> {
  for await (const params of task.watch(left)) send('notifications/tasks', params);
}
