import { randomUUID } from 'node:crypto';
import { messageOf, ToolwharfError, toToolwharfError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import { startStopwatch } from '../kernel/stopwatch.ts';
import type { FleetStore, FleetTopic, ReplicaRow } from '../storage/ports/fleet-store.ts';
import { createItemSender } from './item-sender.ts';
import { configurationRevision, createStoreChanges } from './store-changes.ts';

/** Answers a request of another replica. */
export type FleetHandler = (params: JsonObject, request: FleetRequest) => Promise<JsonObject>;

/** A request of another replica while it is being answered. */
export interface FleetRequest {
  /** The replica that waits for the answer. */
  readonly from: string;
  /** Aborts when that replica no longer waits. */
  readonly signal: AbortSignal;
  /** Sends an item before the answer. Items arrive in their order. */
  send(item: JsonObject): void;
}

export interface FleetRequestOptions {
  readonly signal?: AbortSignal;
  /** Aborts when the other replica can no longer answer. The request then rejects with `GONE`. */
  readonly abandoned?: AbortSignal;
  /** Receives the items that the other replica sends before its answer. */
  readonly onItem?: (item: JsonObject) => void;
  /** The request may wait for long: the database is not polled more often because of it. */
  readonly isBackground?: boolean;
}

/** The answer of one replica. */
export interface FleetAnswer {
  readonly replica: string;
  readonly result: JsonObject;
}

/** The other replicas on the same database. Everything goes through the database: replicas need not reach each other. */
export interface Fleet extends AsyncDisposable {
  /** The id of this replica; undefined if there can be no other. */
  readonly replica: string | undefined;
  /** Calls the listener after a replica, perhaps this one, has changed the store. */
  onChange(topic: FleetTopic, listener: () => unknown): void;
  /** Whether every change that is older than a second has been reported. */
  readonly isCurrent: boolean;
  /** Every change that is older than this has been reported, in milliseconds. */
  readonly reportAgeMs: number;
  /** The revision of the configuration in the stores that this replica has applied. It grows with each change. */
  readonly appliedRevision: number;
  /** The current revision of the configuration in the stores. */
  readRevision(): Promise<number>;
  /** Calls the listener when another replica needs or has returned permits. */
  onPermitHint(listener: () => void): void;
  /** Registers the handler of a method that other replicas call. */
  handle(method: string, handler: FleetHandler): void;
  /**
   * Calls a method of another replica. Rejects with `GONE` if that replica is not there or ends before it answers;
   * `data.received` is false if it surely did not receive the request.
   */
  request(replica: string, method: string, params: JsonObject, options?: FleetRequestOptions): Promise<JsonObject>;
  /** Calls a method of all other replicas without waiting for their answers. */
  broadcast(method: string, params: JsonObject): Promise<void>;
  /** Calls a method of all other replicas and returns the answers of those that answer soon. */
  gather(method: string, params: JsonObject): Promise<readonly FleetAnswer[]>;
  /** The first answer of another replica that is meant; undefined if there is none, or none after a longer time. */
  find(method: string, params: JsonObject, isMeant: (result: JsonObject) => boolean): Promise<FleetAnswer | undefined>;
  replicas(): Promise<readonly ReplicaRow[]>;
}

export interface FleetOptions {
  /** Undefined if no other process can use the database. */
  readonly store: FleetStore | undefined;
  readonly log: Log;
  /** How often the database is polled while it sends notifications; 1 000. */
  readonly pollMs?: number;
  /** How often it is polled while it sends none; 250. */
  readonly pollWithoutHintsMs?: number;
  /** How long `gather` waits for answers; 2 000. */
  readonly gatherMs?: number;
}

type Message =
  | {
      readonly kind: 'request';
      readonly id: string;
      readonly from: string;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'items'; readonly id: string; readonly items: readonly JsonObject[] }
  | { readonly kind: 'answer'; readonly id: string; readonly result: JsonObject }
  | {
      readonly kind: 'failure';
      readonly id: string;
      readonly code: string;
      readonly message: string;
      readonly data: JsonObject;
    };

interface Waiting {
  readonly replica: string;
  readonly isBackground: boolean;
  readonly onItem?: (item: JsonObject) => void;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (cause: unknown) => void;
}

/** How long `find` waits for an answer, which a busy replica may give late. */
const findMs = 15_000;

/** Connects this replica to the others on its database. Later changes of the stores are reported. */
export async function openFleet(options: FleetOptions): Promise<Fleet> {
  const { store } = options;
  return store ? createSharedFleet(store, await store.revisions(), options) : noFleet;
}

/** The fleet of a process that has its database to itself. */
const noFleet: Fleet = {
  replica: undefined,
  onChange() {},
  isCurrent: true,
  reportAgeMs: 0,
  appliedRevision: 0,
  readRevision: async () => 0,
  onPermitHint() {},
  handle() {},
  request: async (replica) => {
    throw gone(replica, false);
  },
  broadcast: async () => {},
  gather: async () => [],
  find: async () => undefined,
  replicas: async () => [],
  [Symbol.asyncDispose]: async () => {},
};

function createSharedFleet(store: FleetStore, revisions: ReadonlyMap<string, number>, options: FleetOptions): Fleet {
  const { log, pollMs = 1_000, pollWithoutHintsMs = 250, gatherMs = 2_000 } = options;
  const changes = createStoreChanges(revisions, log);
  const permitListeners: (() => void)[] = [];
  const handlers = new Map<string, FleetHandler>();
  const waiting = new Map<string, Waiting>();
  const serving = new Map<string, AbortController>();
  /** The requests that wait although nobody will answer. */
  const takenBack = new Set<string>();
  let ageOfRead = startStopwatch();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let pollsAgain = false;
  let isClosed = false;
  let wasLost = false;

  /** Reads messages and changes now. Requests that arrive meanwhile share one more read. */
  function look(): void {
    if (isClosed) return;
    if (polling) {
      pollsAgain = true;
      return;
    }
    clearTimeout(timer);
    polling = poll().finally(() => {
      polling = undefined;
      if (isClosed) return;
      const isAgain = pollsAgain;
      pollsAgain = false;
      if (isAgain) return look();
      timer = setTimeout(look, hints.isLive && !isExpectingAnswer() ? pollMs : pollWithoutHintsMs).unref();
    });
  }

  function isExpectingAnswer(): boolean {
    return [...waiting.values()].some(({ isBackground }) => !isBackground);
  }

  async function poll(): Promise<void> {
    try {
      for (const message of await store.receive()) receive(message as unknown as Message);
      const age = startStopwatch();
      changes.report(await store.revisions());
      ageOfRead = age;
      if (waiting.size > 0) rejectLost(await store.replicas());
      if (wasLost) log.info('fleet.found', 'The database can be reached again');
      wasLost = false;
    } catch (cause) {
      if (!wasLost && !isClosed) log.warning('fleet.lost', `Other replicas cannot be reached: ${messageOf(cause)}`);
      wasLost = true;
    }
  }

  function rejectLost(replicas: readonly ReplicaRow[]): void {
    const alive = new Set(replicas.map(({ id }) => id));
    for (const [id, { replica }] of waiting) if (!alive.has(replica)) void takeBack(id);
  }

  /** Rejects a request that will not be answered. */
  async function takeBack(id: string): Promise<void> {
    // The second attempt would find nothing, although the first succeeded.
    if (takenBack.has(id)) return;
    takenBack.add(id);
    const isUnread = await store.takeBack(id).catch(() => false);
    const { replica = '', reject } = waiting.get(id) ?? {};
    reject?.(gone(replica, !isUnread));
  }

  function receive(message: Message): void {
    if (message.kind === 'request') void serve(message);
    else if (message.kind === 'cancel') serving.get(message.id)?.abort(new Error('The other replica no longer waits'));
    else if (message.kind === 'items') for (const item of message.items) waiting.get(message.id)?.onItem?.(item);
    else if (message.kind === 'answer') waiting.get(message.id)?.resolve(message.result);
    else {
      const { code, message: text, data } = message;
      waiting.get(message.id)?.reject(new ToolwharfError(code as never, text, { data }));
    }
  }

  async function serve({ id, from, method, params }: Message & { kind: 'request' }): Promise<void> {
    const cancel = new AbortController();
    serving.set(id, cancel);
    const items = createItemSender((sent) => send([from], { kind: 'items', id, items: sent }), cancel.signal);
    let reply: Message;
    try {
      const handler = handlers.get(method);
      // A newer replica may call methods that this one does not have.
      if (!handler) throw new ToolwharfError('METHOD_NOT_ALLOWED', `This replica has no method ${method}`);
      reply = { kind: 'answer', id, result: await handler(params, { from, signal: cancel.signal, send: items.add }) };
    } catch (cause) {
      const { code, message, data } = toToolwharfError(cause);
      reply = { kind: 'failure', id, code, message, data: data as JsonObject };
    }
    try {
      await items.sent();
      if (!cancel.signal.aborted) await send([from], reply);
    } catch (cause) {
      log.warning('fleet.not-answered', `Another replica got no answer: ${messageOf(cause)}`);
    } finally {
      serving.delete(id);
    }
  }

  async function send(targets: readonly string[], message: Message): Promise<readonly string[]> {
    const body = message as unknown as JsonObject;
    // A request to one replica can be taken back by its id.
    const id = message.kind === 'request' && targets.length === 1 ? message.id : undefined;
    return store.send(targets.map((target) => ({ id, target, body })));
  }

  async function request(
    replica: string,
    method: string,
    params: JsonObject,
    { signal, abandoned, onItem, isBackground = false }: FleetRequestOptions = {},
  ): Promise<JsonObject> {
    signal?.throwIfAborted();
    if (abandoned?.aborted) throw gone(replica, false);
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    // It may be rejected while the request is being sent, when nobody awaits it yet.
    promise.catch(() => {});
    waiting.set(id, { replica, isBackground, onItem, resolve, reject });
    const onAbort = () => {
      reject(signal?.reason);
      send([replica], { kind: 'cancel', id }).catch(() => {});
    };
    const onAbandoned = () => void takeBack(id);
    signal?.addEventListener('abort', onAbort, { once: true });
    abandoned?.addEventListener('abort', onAbandoned, { once: true });
    try {
      const missing = await send([replica], { kind: 'request', id, from: store.replica, method, params });
      if (missing.length > 0) throw gone(replica, false);
      look();
      return await promise;
    } finally {
      waiting.delete(id);
      takenBack.delete(id);
      signal?.removeEventListener('abort', onAbort);
      abandoned?.removeEventListener('abort', onAbandoned);
    }
  }

  async function askAll(method: string, params: JsonObject, signal: AbortSignal): Promise<Promise<FleetAnswer>[]> {
    return (await others()).map(async (replica) => ({
      replica,
      result: await request(replica, method, params, { signal }),
    }));
  }

  async function others(): Promise<readonly string[]> {
    return (await store.replicas()).map(({ id }) => id).filter((id) => id !== store.replica);
  }

  const hints = store.listen((about) => {
    if (about !== 'permits') return look();
    for (const listener of permitListeners) listener();
  });
  look();
  return {
    replica: store.replica,
    onChange: changes.onChange,
    get isCurrent() {
      return ageOfRead() < pollMs;
    },
    get reportAgeMs() {
      return ageOfRead();
    },
    get appliedRevision() {
      return changes.appliedRevision;
    },
    readRevision: async () => configurationRevision(await store.revisions()),
    onPermitHint: (listener) => void permitListeners.push(listener),
    handle: (method, handler) => void handlers.set(method, handler),
    request,
    async broadcast(method, params) {
      await send(await others(), { kind: 'request', id: randomUUID(), from: store.replica, method, params });
    },
    async gather(method, params) {
      const answers = await Promise.allSettled(await askAll(method, params, AbortSignal.timeout(gatherMs)));
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    },
    async find(method, params, isMeant) {
      const enough = new AbortController();
      const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(findMs)]);
      const meant = (await askAll(method, params, signal)).map(async (asked) => {
        const answer = await asked;
        if (!isMeant(answer.result)) throw new Error('This replica has another answer');
        return answer;
      });
      try {
        return await Promise.any(meant).catch(() => undefined);
      } finally {
        enough.abort(new Error('Another replica has answered'));
      }
    },
    replicas: store.replicas,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(timer);
      for (const { replica, reject } of [...waiting.values()]) reject(gone(replica, true));
      for (const cancel of serving.values()) cancel.abort(new Error('This replica stops'));
      await hints[Symbol.asyncDispose]();
      await polling;
    },
  };
}

function gone(replica: string, received: boolean): ToolwharfError {
  return new ToolwharfError('GONE', 'The replica that handled this has stopped', { data: { replica, received } });
}
