import type { RequestId } from '@modelcontextprotocol/client';
import type { RequestHost } from './request-host.ts';
import type { Turn } from './turns.ts';

/** The request that a server's message belongs to. No members: it belongs to the connection as a whole. */
export interface MessageOwner {
  readonly host?: RequestHost;
  readonly callId?: string;
  /** The turns of all requests that the message may belong to. */
  readonly turns?: readonly Turn[];
  /** The message arrived on the stream of its request, so that it belongs to no other one. */
  readonly hasOwnStream?: boolean;
  /** The hosts of all requests that the message may belong to, if there are several. */
  readonly hosts?: readonly RequestHost[];
  /** Requests with open questions, beside which `host` is the only possible owner: certain once they have ended. */
  readonly besides?: readonly Turn[];
  /** Several requests are possible and the transport cannot say which one the message belongs to. */
  readonly isAmbiguous?: boolean;
  /** Of several possible requests: the host of one of them, if all are of the same session of a client. */
  readonly sessionHost?: RequestHost;
}

/** A request that a message may belong to. */
export interface OwningRequest {
  readonly host: RequestHost | undefined;
  readonly callId: string | undefined;
  readonly turn: Turn | undefined;
  readonly taskId?: string;
}

/** Finds the requests that a server's messages belong to. */
export interface MessageOwners {
  /**
   * The owner of a message about this task, on the stream of the request with this id, which is pending or has ended, or on a stream
   * that all requests share.
   */
  find(taskId: string | undefined, id: RequestId | undefined, request: OwningRequest | undefined): MessageOwner;
  /** Notes a request that was cancelled: until its server has replied, a question may still belong to it. */
  abandon(id: number, turn: Turn, host: RequestHost | undefined): void;
  /** The server has replied to a request that was cancelled. */
  endAbandoned(id: number): void;
}

/** Ids below `firstId` are those of the SDK's requests. */
export function createMessageOwners(pending: () => readonly OwningRequest[], firstId: number): MessageOwners {
  /** The requests that ended without a reply. */
  const abandoned = new Map<number, { readonly turn: Turn; readonly host: RequestHost | undefined }>();

  /** Forgets those whose turns have ended. */
  function hasAbandoned(): boolean {
    for (const [id, { turn }] of abandoned) if (turn.hasEnded) abandoned.delete(id);
    return abandoned.size > 0;
  }

  function sessionHostOf(hosts: readonly RequestHost[]): RequestHost | undefined {
    const [first] = hosts;
    const session = first?.client?.session;
    const all = [...hosts, ...[...abandoned.values()].map(({ host }) => host)];
    return session !== undefined && all.every((host) => host?.client?.session === session) ? first : undefined;
  }

  return {
    find(taskId, id, request) {
      if (taskId !== undefined) {
        const follower = pending().find((each) => each.taskId === taskId);
        if (follower) return { host: follower.host, callId: follower.callId };
      }
      if (id !== undefined) {
        // A request of the SDK belongs to no call.
        if (typeof id !== 'number' || id < firstId) return {};
        // The request has ended: neither its host nor that of another request may answer.
        if (!request) return { isAmbiguous: true };
        const { host, callId, turn } = request;
        return { host, callId, turns: turn && [turn], hasOwnStream: true };
      }
      const hosted = pending().filter(({ host }) => host);
      // Questions of a task name the task. Of a server that omits it, they belong to the only task if no call is pending.
      const calls = hosted.filter((each) => each.taskId === undefined);
      const candidates = calls.length > 0 ? calls : oneOfEachTask(hosted);
      const [first, ...others] = candidates.filter(({ turn }) => !turn?.hasOpenQuestion);
      const besides = candidates.flatMap(({ turn }) => (turn?.hasOpenQuestion ? turn : []));
      if (candidates.length > 1 || hasAbandoned()) {
        const hosts = candidates.flatMap(({ host }) => host ?? []);
        const sessionHost = sessionHostOf(hosts);
        if (first?.turn && others.length === 0 && !hasAbandoned())
          return { host: first.host, callId: first.callId, turns: [first.turn], hosts, besides, sessionHost };
        return { isAmbiguous: true, turns: candidates.flatMap(({ turn }) => turn ?? []), hosts, sessionHost };
      }
      const [only] = candidates;
      return only ? { host: only.host, callId: only.callId, turns: only.turn && [only.turn] } : {};
    },
    abandon(id, turn, host) {
      turn.abandon();
      hasAbandoned();
      if (!turn.hasEnded) abandoned.set(id, { turn, host });
    },
    endAbandoned(id) {
      abandoned.get(id)?.turn.end(true);
      abandoned.delete(id);
    },
  };
}

/** One request for each task that they are about. */
function oneOfEachTask<Request extends { readonly taskId?: string }>(requests: readonly Request[]): Request[] {
  return [...new Map(requests.map((request) => [request.taskId, request])).values()];
}
