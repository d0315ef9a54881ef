import { randomUUID } from 'node:crypto';
import { messageOf, ToolwharfError, toToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { startStopwatch } from '../../../toolwharf/kernel/stopwatch.ts';
import type { FleetStore } from '../../../toolwharf/storage/ports/fleet-store.ts';
import {
  type Fleet,
  type FleetAnswer,
  type FleetHandler,
  type FleetRequestOptions,
  noFleet,
  replicaIsGone,
} from '../../core/replicas/fleet.ts';
import { createItemSender } from './item-sender.ts';
import { configurationRevision, createStoreChanges } from './store-changes.ts';

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

function createSharedFleet(store: FleetStore, revisions: ReadonlyMap<string, number>, options: FleetOptions): Fleet {
  const { log, pollMs = 1_000, pollWithoutHintsMs = 250, gatherMs = 2_000 } = options;
  const changes = createStoreChanges(revisions, log);
  const permitListeners: (() => void)[] = [];
  const handlers = new Map<string, FleetHandler>();
  const waiting = new Map<string, Waiting>();
  const serving = new Map<string, AbortController>();
  /** Answers that are being sent. */
  const answering = new Set<Promise<void>>();
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
      if (waiting.size > 0) await rejectLost();
      if (wasLost) log.info('fleet.found', 'The database can be reached again');
      wasLost = false;
    } catch (cause) {
      if (!wasLost && !isClosed) log.warning('fleet.lost', `Other replicas cannot be reached: ${messageOf(cause)}`);
      wasLost = true;
    }
  }

  async function rejectLost(): Promise<void> {
    const alive = new Set((await store.replicas()).map(({ id }) => id));
    const isLost = ({ replica }: Waiting) => !alive.has(replica);
    if (![...waiting.values()].some(isLost)) return;
    // A replica that stopped may have answered after the messages were read.
    for (;;) {
      const last = await store.receive();
      if (last.length === 0) break;
      for (const message of last) receive(message as unknown as Message);
    }
    for (const [id, request] of waiting) if (isLost(request)) void takeBack(id);
  }

  /** Rejects a request that will not be answered. */
  async function takeBack(id: string): Promise<void> {
    // The second attempt would find nothing, although the first succeeded.
    if (takenBack.has(id)) return;
    takenBack.add(id);
    const isUnread = await store.takeBack(id).catch(() => false);
    const { replica = '', reject } = waiting.get(id) ?? {};
    reject?.(replicaIsGone(replica, !isUnread));
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
    // An answer that exists is sent, even if this replica stops meanwhile.
    serving.delete(id);
    if (cancel.signal.aborted) return;
    const sending = items
      .sent()
      .then(async () => void (await send([from], reply)))
      .catch((cause) => log.warning('fleet.not-answered', `Another replica got no answer: ${messageOf(cause)}`))
      .finally(() => answering.delete(sending));
    answering.add(sending);
  }

  async function answersSent(): Promise<void> {
    // The handlers of results that have just arrived return first.
    await new Promise<void>((resolve) => setImmediate(resolve));
    await Promise.all(answering);
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
    { signal, onItem, isBackground = false }: FleetRequestOptions = {},
  ): Promise<JsonObject> {
    signal?.throwIfAborted();
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    // It may be rejected while the request is being sent, when nobody awaits it yet.
    promise.catch(() => {});
    waiting.set(id, { replica, isBackground, onItem, resolve, reject });
    const onAbort = () => {
      reject(signal?.reason);
      send([replica], { kind: 'cancel', id }).catch(() => {});
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const missing = await send([replica], { kind: 'request', id, from: store.replica, method, params });
      if (missing.length > 0) throw replicaIsGone(replica, false);
      look();
      return await promise;
    } finally {
      waiting.delete(id);
      takenBack.delete(id);
      signal?.removeEventListener('abort', onAbort);
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
    answersSent,
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
      for (const { replica, reject } of [...waiting.values()]) reject(replicaIsGone(replica, true));
      await hints[Symbol.asyncDispose]();
      await polling;
      // Requests that arrived with the last messages are refused rather than left without an answer.
      await answersSent();
      for (const cancel of serving.values()) cancel.abort(new Error('This replica stops'));
    },
  };
}
