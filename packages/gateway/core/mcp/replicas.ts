import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { toAbortSignal } from '../../../toolwharf/kernel/abort-source.ts';
import { backoffMs } from '../../../toolwharf/kernel/backoff.ts';
import type { Fleet } from '../replicas/fleet.ts';
import type { RequestUsage } from './client-request.ts';
import { callIsGone, type InputRounds, type Round } from './input-rounds.ts';
import { RpcError, type RpcId, toRpcError } from './rpc.ts';
import type { Session, Sessions } from './sessions.ts';

/** The state of a session that other replicas need: a client may send each request to another one. */
export interface SessionState {
  readonly logLevel?: string;
  readonly watched: readonly { readonly uri: string; readonly server: string }[];
}

/** Passes the messages of clients to the replica that waits for them. */
export interface McpReplicas {
  /** Passes a client's answer to the replica that asked. Returns false if no other replica asked this question. */
  answer(session: Session, id: RpcId, message: Answer): Promise<boolean>;
  /** Cancels a request of the session wherever it runs. */
  cancel(session: Session, requestId: RpcId): Promise<void>;
  /** Continues a request where it is paused; undefined if that is this replica. */
  resume(round: Round, state: string): Promise<JsonObject> | undefined;
  /** Gives a session that is new here the state that it has on other replicas. Undefined if there are none. */
  loadState(session: Session, usage?: RequestUsage): Promise<void> | undefined;
  /** Gives other replicas that have the session its new state. Resolves when they have it. */
  shareState(session: Session): Promise<void>;
}

interface Answer {
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

export interface McpReplicasPorts {
  readonly fleet: Fleet | undefined;
  readonly sessions: Sessions;
  readonly inputRounds: InputRounds;
  /** Applies a state that another replica shared. */
  readonly applyState: (session: Session, state: SessionState, usage?: RequestUsage) => Promise<void>;
}

const questionId = /^toolwharf-([\w-]+)-\d+$/;
const requestState = /^toolwharf:([\w-]+):/;

export function createMcpReplicas(ports: McpReplicasPorts): McpReplicas {
  const { fleet, sessions, inputRounds, applyState } = ports;
  const here = fleet?.replica;

  fleet?.handle('mcp.answer', async ({ session, id, message }) => ({
    accepted: sessions.find(String(session))?.answer(id as RpcId, message as Answer) ?? false,
  }));
  fleet?.handle('mcp.cancel', async ({ session, requestId }) => {
    sessions
      .find(String(session))
      ?.running.get(requestId as RpcId)
      ?.abort(new Error('The client cancelled'));
    return {};
  });
  fleet?.handle('mcp.resume', async ({ owner, answers, state }, { signal }) => {
    const round = { owner: String(owner), answers: answers as JsonObject, notify: () => {}, signal };
    try {
      return { result: await inputRounds.resume(round, String(state)) };
    } catch (cause) {
      const { code, message, data, httpStatus } = toRpcError(cause);
      return { error: { code, message, data, httpStatus } as JsonObject };
    }
  });
  fleet?.handle('mcp.read-session', async ({ session }) => {
    const found = sessions.find(String(session));
    // A replica that is still loading the state does not know it.
    return { state: found && !found.loading ? (toState(found) as never) : null };
  });
  fleet?.handle('mcp.share-session', async ({ session, state }) => {
    const found = sessions.find(String(session));
    if (!found) return {};
    // It is newer than a state that is being loaded.
    found.loading = undefined;
    await applyState(found, state as unknown as SessionState);
    return {};
  });

  return {
    async answer(session, id, message) {
      const replica = questionId.exec(String(id))?.[1];
      if (!fleet || replica === undefined || replica === here) return false;
      const params = { session: session.facts.id, id, message: message as JsonObject };
      try {
        const { accepted } = await deliver(() => fleet.request(replica, 'mcp.answer', params));
        return accepted === true;
      } catch (cause) {
        if (isGone(cause)) return false;
        throw cause;
      }
    },
    async cancel(session, requestId) {
      await deliver(async () => fleet?.broadcast('mcp.cancel', { session: session.facts.id, requestId }));
    },
    resume(round, state) {
      const replica = requestState.exec(state)?.[1];
      if (!fleet || replica === undefined || replica === here) return undefined;
      return resumeElsewhere(fleet, replica, round, state);
    },
    loadState(session, usage) {
      if (!fleet) return undefined;
      const load = async () => {
        try {
          const params = { session: session.facts.id };
          const read = await fleet.find('mcp.read-session', params, ({ state }) => isObject(state));
          if (!read || session.loading !== loading) return;
          await applyState(session, read.result.state as unknown as SessionState, usage);
        } finally {
          if (session.loading === loading) session.loading = undefined;
        }
      };
      const loading = load();
      session.loading = loading;
      return loading;
    },
    async shareState(session) {
      const params = { session: session.facts.id, state: toState(session) as never };
      await fleet?.gather('mcp.share-session', params);
    },
  };
}

const maxAttempts = 8;

/**
 * Repeats a delivery while the database cannot be reached, about 20 s: the client does not send the message again, and a call
 * may wait for it. A message that arrives twice has no further effect.
 */
async function deliver<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  for (let failures = 1; ; failures++) {
    try {
      return await send();
    } catch (cause) {
      if (isGone(cause) || failures >= maxAttempts) throw cause;
      await sleep(backoffMs(failures, { maxMs: 5_000 }));
    }
  }
}

function isGone(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.code === 'GONE';
}

function toState({ logLevel, watched }: Session): SessionState {
  return { logLevel, watched: [...watched].map(([uri, { server }]) => ({ uri, server })) };
}

async function resumeElsewhere(fleet: Fleet, replica: string, round: Round, state: string): Promise<JsonObject> {
  const { owner, answers, signal } = round;
  const reply = await fleet
    .request(replica, 'mcp.resume', { owner, answers, state }, { signal: toAbortSignal(signal) })
    .catch((cause) => {
      throw isGone(cause) ? callIsGone() : cause;
    });
  const { result, error } = reply;
  if (isObject(result)) return result;
  const { code, message, data, httpStatus } = error as {
    code: number;
    message: string;
    data?: unknown;
    httpStatus: number;
  };
  throw new RpcError(code, message, { data, httpStatus });
}
