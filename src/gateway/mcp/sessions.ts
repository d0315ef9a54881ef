import { createEphemeralMap, type EphemeralMap } from '../../kernel/ephemeral-map.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { EventStream } from './event-stream.ts';
import { RpcError, type RpcId, rpcCode } from './rpc.ts';
import type { SessionFacts } from './session-token.ts';

/** The in-memory state of a legacy client, beyond its token. Recreated when the client returns after a restart. */
export interface Session {
  readonly facts: SessionFacts;
  /** The minimum log level that the client set; undefined if it set none. */
  logLevel: string | undefined;
  /** The resource URIs that the client subscribed to. */
  readonly watched: Map<string, { readonly server: string; end(): Promise<void> }>;
  /** The open `GET` streams. The most recent one gets messages that belong to no request. */
  readonly streams: Set<EventStream>;
  /** The running requests by id, for cancellation. */
  readonly running: EphemeralMap<RpcId, AbortController>;
  /** The ids of URL elicitations whose completion is reported to the client. */
  readonly elicited: Set<string>;
  /** Sends the client a question over a stream and waits for the posted answer, up to a time limit. */
  ask(stream: EventStream, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Accepts an answer that the client posted. Returns false if no question has this id. */
  answer(id: RpcId, message: { readonly result?: JsonObject; readonly error?: JsonObject }): boolean;
  /** The `GET` stream in use; undefined if none is open. */
  readonly stream: EventStream | undefined;
  /** Sends a message that belongs to no request. The message is lost if no stream is open, as the protocol allows. */
  broadcast(message: JsonObject): void;
  lastSeen: number;
}

export interface Sessions {
  open(facts: SessionFacts): Session;
  /** Ends the session. Its token is rejected from now on. */
  end(facts: SessionFacts): void;
  isEnded(facts: SessionFacts): boolean;
  all(): Iterable<Session>;
}

export interface SessionsOptions {
  /** The memory of an idle session is released after this time; its token stays valid. 600 000 by default. */
  readonly idleMs?: number;
  /** The number of ended sessions whose tokens are rejected; 10 000 by default. */
  readonly maxEnded?: number;
  /** The time limit for an answer to a question; 300 000 by default. */
  readonly patienceMs?: number;
  /** Called when a session has ended or its memory is released. */
  readonly onEnd: (session: Session) => void;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { idleMs = 600_000, maxEnded = 10_000, patienceMs = 300_000, onEnd } = options;
  const sessions = new Map<string, Session>();
  const ended = new Set<string>();
  let swept = Date.now();

  function sweep(now: number): void {
    if (now - swept < idleMs / 10) return;
    swept = now;
    for (const [id, session] of sessions) {
      const isIdle = session.streams.size === 0 && session.running.size === 0 && now - session.lastSeen > idleMs;
      if (isIdle && sessions.delete(id)) onEnd(session);
    }
  }

  return {
    open(facts) {
      const now = Date.now();
      sweep(now);
      const session = sessions.get(facts.id) ?? createSession(facts, patienceMs);
      session.lastSeen = now;
      sessions.set(facts.id, session);
      return session;
    },
    end(facts) {
      const session = sessions.get(facts.id);
      sessions.delete(facts.id);
      ended.add(facts.id);
      evictOldest(ended, maxEnded);
      if (!session) return;
      for (const controller of session.running.values()) controller.abort(new Error('The client ended its session'));
      for (const stream of session.streams) stream.end();
      onEnd(session);
    },
    isEnded: (facts) => ended.has(facts.id),
    all: () => sessions.values(),
  };
}

function createSession(facts: SessionFacts, patienceMs: number): Session {
  const waiting = new Map<string, { resolve: (answer: JsonObject) => void; reject: (cause: unknown) => void }>();
  let nextQuestion = 1;
  const session: Session = {
    facts,
    logLevel: undefined,
    watched: new Map(),
    streams: new Set(),
    running: createEphemeralMap(),
    elicited: new Set(),
    lastSeen: 0,
    ask(stream, method, params, signal) {
      if (typeof params.elicitationId === 'string') session.elicited.add(params.elicitationId);
      return new Promise((resolve, reject) => {
        const id = `toolwharf-${nextQuestion++}`;
        const settle =
          <Value>(end: (value: Value) => void) =>
          (value: Value) => {
            waiting.delete(id);
            clearTimeout(patience);
            signal.removeEventListener('abort', onAbort);
            end(value);
          };
        // Tells the client to stop showing a question that no longer needs an answer.
        const withdraw = (cause: unknown) => {
          stream.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          settle(reject)(cause);
        };
        const onAbort = () => withdraw(signal.reason);
        const patience = setTimeout(() => withdraw(new Error('Nobody answered in time')), patienceMs).unref();
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
        stream.send({ jsonrpc: '2.0', id, method, params });
        if (signal.aborted) onAbort();
      });
    },
    answer(id, { result, error }) {
      const question = waiting.get(String(id));
      if (!question) return false;
      if (result) question.resolve(result);
      else question.reject(new RpcError(codeOf(error), String(error?.message ?? 'The client refused')));
      return true;
    },
    get stream() {
      return [...session.streams].findLast((stream) => !stream.closed);
    },
    broadcast: (message) => session.stream?.send(message),
  };
  return session;
}

function codeOf(error: JsonObject | undefined): number {
  return isObject(error) && typeof error.code === 'number' ? error.code : rpcCode.internal;
}
