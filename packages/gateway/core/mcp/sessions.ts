import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../../../contract/json.ts';
import { gatewayDefaults } from '../../../contract/settings/defaults.ts';
import type { Root } from '../../../toolwharf/connections/request-host.ts';
import type { LightAbort } from '../../../toolwharf/kernel/abort-source.ts';
import { createEphemeralMap, type EphemeralMap } from '../../../toolwharf/kernel/ephemeral-map.ts';
import { evictOldest } from '../../../toolwharf/kernel/evict-oldest.ts';
import { createLinkedQueue, type LinkedQueue, type QueueEntry } from '../../../toolwharf/kernel/linked-queue.ts';
import { createEndedSessions, type EndableSession, type EndedSessions } from '../auth/ended-sessions.ts';
import type { CallerUsage } from '../http/limits/limits.ts';
import type { Reservation } from '../http/limits/quota.ts';
import type { MessageStream } from './message-stream.ts';
import { createReplayMemory, type ReplayMemory } from './replay-memory.ts';
import { type ConnectionOptions, createResumableStreams, type ResumableStreams } from './resumable-streams.ts';
import { RpcError, type RpcId, rpcCode } from './rpc.ts';
import { elicitationKeyOf } from './server-questions.ts';
import type { SessionFacts } from './session-token.ts';

/** The in-memory state of a legacy client, beyond its token. Recreated when the client returns after a restart. */
export interface Session {
  readonly facts: SessionFacts;
  /** While the state that the session has on another replica is loaded; requests wait for it. */
  loading: Promise<void> | undefined;
  /** The minimum log level that the client set; undefined if it set none. */
  logLevel: string | undefined;
  /** The resource URIs that the client subscribed to. */
  readonly watched: Map<string, { readonly server: string; end(): Promise<void> }>;
  /** The streams of the client, which it can continue after a lost connection. */
  readonly resumable: ResumableStreams;
  /** Opens the stream of a request. */
  readonly openStream: (response: ServerResponse, options?: ConnectionOptions) => MessageStream;
  /** The open `GET` streams. The most recent one gets messages that belong to no request. */
  readonly streams: Set<MessageStream>;
  /** The running requests by id, for cancellation. */
  readonly running: EphemeralMap<RpcId, LightAbort>;
  /** The keys of URL elicitations whose completion is reported to the client. */
  readonly elicited: Set<string>;
  /** Records the question if it is a URL elicitation. */
  addElicitation(question: JsonObject): void;
  /**
   * Sends the client a question over a stream and waits for the posted answer, up to a time limit, which is shorter while
   * the client has no open stream.
   */
  ask(stream: MessageStream, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Asks the client for its roots on its `GET` stream. */
  listRoots(signal: AbortSignal): Promise<readonly Root[]>;
  /** Accepts an answer that the client posted. Returns false if no question has this id. */
  answer(id: RpcId, message: { readonly result?: JsonObject; readonly error?: JsonObject }): boolean;
  /** The `GET` stream in use; undefined if none is open. */
  readonly stream: MessageStream | undefined;
  /** Sends a message that belongs to no request, or keeps it for a client that lost its stream. */
  broadcast(message: JsonObject): void;
  /** True if nothing is lost when the memory of the session is released, except its subscriptions and log level. */
  readonly isIdle: boolean;
  lastSeen: number;
}

export interface Sessions {
  /** Throws `LIMIT_REACHED` or `OVERLOADED` if the session is new, a limit is reached, and no session is idle. */
  open(facts: SessionFacts, usage?: Pick<CallerUsage, 'reserve'>): Session;
  /** The session in the memory of this replica. */
  find(id: string): Session | undefined;
  /** Ends the session. Its token is rejected from now on. */
  end(facts: SessionFacts): Promise<void>;
  isEnded(facts: SessionFacts): boolean;
  all(): Iterable<Session>;
  readonly size: number;
}

export interface SessionsOptions {
  /** The memory of an idle session is released after this time; its token stays valid. 600 000 by default. */
  readonly idleMs?: number;
  readonly ended?: EndedSessions;
  /** The id of this replica, which the ids of its questions contain. */
  readonly replica?: string;
  /** The time limit for an answer to a question; that of the defaults if undefined. */
  readonly questionTimeoutMs?: () => number;
  /** A question is withdrawn when its client has had no open stream for this time; 60 000 by default. */
  readonly absenceMs?: number;
  /** Called when a session has ended or its memory is released. */
  readonly onEnd: (session: Session) => void;
}

interface OpenSession {
  readonly session: Session;
  readonly slot: Reservation | undefined;
  /** Its places in the orders of use. */
  readonly use: QueueEntry<Session>;
  readonly ownUse: QueueEntry<Session>;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { idleMs = 600_000, ended = createEndedSessions(), replica, onEnd } = options;
  const { questionTimeoutMs = () => gatewayDefaults.questionTimeoutMs, absenceMs = 60_000 } = options;
  const sessions = new Map<string, OpenSession>();
  // Ordered by last use, oldest first: of all callers, and of each.
  const byUse = createLinkedQueue<Session>();
  const byCaller = new Map<string, LinkedQueue<Session>>();
  const memory = createReplayMemory();
  let swept = Date.now();

  function sweep(now: number): void {
    if (now - swept < idleMs / 10) return;
    swept = now;
    for (const { session } of sessions.values())
      if (session.isIdle && now - session.lastSeen > idleMs) release(session.facts.id);
  }

  /** Releases the memory of a session. Its token stays valid. */
  function release(id: string): void {
    const entry = sessions.get(id);
    if (!entry) return;
    const { session, slot } = entry;
    sessions.delete(id);
    byUse.remove(entry.use);
    const own = byCaller.get(session.facts.caller);
    own?.remove(entry.ownUse);
    if (own?.size === 0) byCaller.delete(session.facts.caller);
    slot?.[Symbol.dispose]();
    session.resumable.clear();
    onEnd(session);
  }

  /** Releases the session, of this caller or of any caller, that was idle longest. Returns false if no session is idle. */
  function releaseIdle(caller: string | undefined): boolean {
    const candidates = caller === undefined ? byUse : byCaller.get(caller);
    for (const session of candidates?.values() ?? []) {
      if (!session.isIdle) continue;
      release(session.facts.id);
      return true;
    }
    return false;
  }

  function add(facts: SessionFacts, usage: Pick<CallerUsage, 'reserve'> | undefined): OpenSession {
    const slot = usage?.reserve('sessions', 1, releaseIdle);
    const session = createSession(facts, { questionTimeoutMs, absenceMs, replica, memory });
    const own = byCaller.get(facts.caller) ?? createLinkedQueue();
    byCaller.set(facts.caller, own);
    const entry: OpenSession = { session, slot, use: byUse.push(session), ownUse: own.push(session) };
    sessions.set(facts.id, entry);
    return entry;
  }

  function endHere(id: string): void {
    const session = sessions.get(id)?.session;
    for (const controller of session?.running.values() ?? [])
      controller.abort(new Error('The client ended its session'));
    for (const stream of session?.streams ?? []) stream.end();
    release(id);
  }

  ended.onRemoteEnd(endHere);
  return {
    open(facts, usage) {
      const now = Date.now();
      sweep(now);
      const { session, use, ownUse } = sessions.get(facts.id) ?? add(facts, usage);
      session.lastSeen = now;
      byUse.moveToEnd(use);
      byCaller.get(facts.caller)?.moveToEnd(ownUse);
      return session;
    },
    find: (id) => sessions.get(id)?.session,
    async end(facts) {
      endHere(facts.id);
      await ended.add(toEndable(facts));
    },
    isEnded: (facts) => ended.has(toEndable(facts)),
    get size() {
      return sessions.size;
    },
    *all() {
      for (const { session } of sessions.values()) yield session;
    },
  };
}

const maxElicitations = 1_000;

function toEndable({ id, caller, expiresAt }: SessionFacts): EndableSession {
  return { id, owner: `mcp/${caller}`, expiresAt };
}

interface SessionSettings {
  readonly questionTimeoutMs: () => number;
  readonly absenceMs: number;
  readonly replica: string | undefined;
  readonly memory: ReplayMemory;
}

/** Since this revision, clients expect an event without data at the start of a stream. */
const primedVersion = '2025-11-25';

interface OpenQuestion {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (cause: unknown) => void;
  /** Called when the client got or lost a stream. */
  readonly onConnectionChange: () => void;
}

function createSession(facts: SessionFacts, settings: SessionSettings): Session {
  const { questionTimeoutMs, absenceMs, replica, memory } = settings;
  const waiting = new Map<string, OpenQuestion>();
  const questionPrefix = replica === undefined ? 'toolwharf' : `toolwharf-${replica}`;
  const resumable = createResumableStreams({
    caller: facts.caller,
    memory,
    primes: facts.protocolVersion >= primedVersion,
    onConnectionChange() {
      for (const question of waiting.values()) question.onConnectionChange();
    },
  });
  let nextQuestion = 1;
  const session: Session = {
    facts,
    loading: undefined,
    logLevel: undefined,
    watched: new Map(),
    resumable,
    openStream: (response, options) => resumable.open('request', response, options),
    streams: new Set(),
    running: createEphemeralMap(),
    elicited: new Set(),
    lastSeen: 0,
    get isIdle() {
      return session.streams.size === 0 && session.running.size === 0 && waiting.size === 0;
    },
    addElicitation(question) {
      const key = elicitationKeyOf(question);
      if (key === undefined) return;
      session.elicited.add(key);
      evictOldest(session.elicited, maxElicitations);
    },
    ask(stream, method, params, signal) {
      session.addElicitation(params);
      return new Promise((resolve, reject) => {
        const id = `${questionPrefix}-${nextQuestion++}`;
        const settle =
          <Value>(end: (value: Value) => void) =>
          (value: Value) => {
            waiting.delete(id);
            clearTimeout(patience);
            clearTimeout(absence);
            signal.removeEventListener('abort', onAbort);
            end(value);
          };
        // Notifies the client that a question no longer needs an answer.
        const withdraw = (cause: unknown) => {
          stream.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          settle(reject)(cause);
        };
        const onAbort = () => withdraw(signal.reason);
        const patience = setTimeout(() => withdraw(new Error('No answer in time')), questionTimeoutMs()).unref();
        // A client whose connections are lost for good must not keep the call of its question open.
        let absence: NodeJS.Timeout | undefined;
        const onConnectionChange = () => {
          clearTimeout(absence);
          if (!stream.closed || session.stream || resumable.isConnected) return;
          absence = setTimeout(() => withdraw(new Error('The client is disconnected')), absenceMs).unref();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(id, { resolve: settle(resolve), reject: settle(reject), onConnectionChange });
        stream.send({ jsonrpc: '2.0', id, method, params });
        if (signal.aborted) onAbort();
      });
    },
    async listRoots(signal) {
      const { stream } = session;
      if (!stream) throw new RpcError(rpcCode.methodNotFound, 'This client cannot answer roots/list');
      return (await session.ask(stream, 'roots/list', {}, signal)).roots as readonly Root[];
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
    broadcast(message) {
      if (session.stream) session.stream.send(message);
      else session.resumable.keep(message);
    },
  };
  return session;
}

function codeOf(error: JsonObject | undefined): number {
  return isObject(error) && typeof error.code === 'number' ? error.code : rpcCode.internal;
}
