import { messageOf } from '../../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import type { UpstreamTask } from '../../../../toolwharf/connections/follow-task.ts';
import type {
  ElicitAnswer,
  QuestionContext,
  RequestHost,
  RequestNotice,
  Root,
} from '../../../../toolwharf/connections/request-host.ts';
import { exactly } from '../../../../toolwharf/kernel/exact-json.ts';
import type { Progress } from '../../../../toolwharf/kernel/tool.ts';
import type { FleetRequest } from '../../../core/replicas/fleet.ts';

type Method = 'elicit' | 'sample' | 'listRoots';

/** A question of a server, on its way to the replica that received the call. */
interface SentQuestion {
  readonly number: number;
  readonly method: Method;
  readonly params: JsonObject;
  readonly callId?: string;
  readonly key?: string;
}

/** An item that a replica sends before it answers the request of another replica. */
export type HostItem =
  | { readonly progress: Progress }
  | { readonly log: JsonObject }
  | { readonly notice: RequestNotice }
  | { readonly isWaiting: boolean }
  | { readonly task: UpstreamTask }
  | { readonly question: SentQuestion }
  | { readonly withdrawn: number };

/** The answer to a question, or why there is none. */
export type HostAnswer = { readonly result: JsonObject } | { readonly failure: string; readonly code?: number };

/** The facts about a host that the replica of the server needs. */
export function describeHost(host: RequestHost): JsonObject {
  const { capabilities, client, input } = host;
  const methods = (['elicit', 'sample', 'listRoots'] as const).filter((method) => host[method]);
  const receives = { hasProgress: host.onProgress !== undefined, hasLog: host.onLog !== undefined };
  const facts = client && {
    ...{ era: client.era, session: client.session, capabilities: client.capabilities },
    caller: client.caller && { id: client.caller.id, conversation: client.caller.conversation },
    hasRoots: client.listRoots !== undefined,
  };
  return { capabilities, client: facts, input, methods, ...receives } as JsonObject;
}

/** A host on another replica. */
export interface RemoteHost {
  readonly host: RequestHost;
  /** Tells the other replica that the request waits for requests of other clients; the returned function ends it. */
  onWait(): () => void;
  /** Sends the other replica the status of the task in which the server runs the call. */
  onTask(task: UpstreamTask): void;
  /** Receives the answer to a question. */
  answer(question: number, answer: HostAnswer): void;
}

export interface RemoteHostPorts extends Pick<FleetRequest, 'send' | 'signal'> {
  /** Asks the session of a client on the other replica for its roots, outside of a request too. */
  readonly listRoots: (clientSession: string, signal: AbortSignal) => Promise<readonly Root[]>;
}

/** Stands in for the host of a request that another replica sent. */
export function createRemoteHost(description: JsonObject, { send, signal, listRoots }: RemoteHostPorts): RemoteHost {
  const { capabilities, client, input, methods, hasProgress, hasLog } = description;
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  const sendItem = (item: HostItem) => send(item as unknown as JsonObject);
  let asked = 0;

  async function ask(method: Method, params: JsonObject, context: QuestionContext): Promise<JsonObject> {
    const number = asked++;
    const { promise, resolve } = Promise.withResolvers<HostAnswer>();
    const withdraw = () => {
      sendItem({ withdrawn: number });
      resolve({ failure: messageOf(context.signal.reason) });
    };
    const ended = () => resolve({ failure: messageOf(signal.reason) });
    waiting.set(number, resolve);
    context.signal.addEventListener('abort', withdraw, { once: true });
    signal.addEventListener('abort', ended, { once: true });
    try {
      sendItem({ question: { number, method, params, callId: context.callId, key: context.key } });
      const answer = await promise;
      if ('result' in answer) return answer.result;
      throw Object.assign(new Error(answer.failure), { code: answer.code });
    } finally {
      waiting.delete(number);
      context.signal.removeEventListener('abort', withdraw);
      signal.removeEventListener('abort', ended);
    }
  }

  const can = (method: Method) => Array.isArray(methods) && methods.includes(method);
  return {
    host: {
      capabilities: isObject(capabilities) ? capabilities : undefined,
      client: isObject(client) ? toClient(client, listRoots) : undefined,
      input: input as RequestHost['input'],
      elicit: can('elicit')
        ? async (params, context) => (await ask('elicit', params, context)) as unknown as ElicitAnswer
        : undefined,
      sample: can('sample') ? (params, context) => ask('sample', params, context) : undefined,
      listRoots: can('listRoots')
        ? async (context) => (await ask('listRoots', {}, context)).roots as readonly Root[]
        : undefined,
      onProgress: hasProgress === true ? (progress) => sendItem({ progress }) : undefined,
      onLog: hasLog === true ? (log) => sendItem({ log }) : undefined,
      onNotice: (notice) => sendItem({ notice }),
    },
    onWait() {
      sendItem({ isWaiting: true });
      return () => sendItem({ isWaiting: false });
    },
    onTask: (task) => sendItem({ task }),
    answer: (question, answer) => waiting.get(question)?.(answer),
  };
}

function toClient({ hasRoots, ...client }: JsonObject, listRoots: RemoteHostPorts['listRoots']): RequestHost['client'] {
  const { session } = client;
  const asksForRoots = hasRoots === true && typeof session === 'string';
  return {
    ...(client as unknown as NonNullable<RequestHost['client']>),
    listRoots: asksForRoots ? (signal) => listRoots(session, signal) : undefined,
  };
}

export interface HostItemsPorts {
  readonly server: string;
  readonly host: RequestHost;
  readonly signal?: AbortSignal;
  readonly onWait?: () => () => void;
  readonly onTask?: (task: UpstreamTask) => void;
  readonly answer: (question: number, answer: HostAnswer) => Promise<void>;
}

/** Passes what the replica of a server sends about a request on to the host of the request. */
export function createHostItems({ server, host, signal, onWait, onTask, answer }: HostItemsPorts) {
  const questions = new Map<number, AbortController>();
  let resume: (() => void) | undefined;

  async function ask({ number, method, params, callId, key }: SentQuestion): Promise<void> {
    const withdrawn = new AbortController();
    questions.set(number, withdrawn);
    const context = { server, callId, key, signal: AbortSignal.any([withdrawn.signal, ...(signal ? [signal] : [])]) };
    try {
      await answer(number, { result: await resultOf(method, params, context) });
    } catch (cause) {
      const { code } = cause as { code?: unknown };
      const failure = { failure: messageOf(cause), code: typeof code === 'number' ? code : undefined };
      if (!context.signal.aborted) await answer(number, failure).catch(() => {});
    } finally {
      questions.delete(number);
    }
  }

  async function resultOf(method: Method, params: JsonObject, context: QuestionContext): Promise<JsonObject> {
    if (method === 'elicit') return { ...exactly(await host.elicit?.(params, context)) };
    if (method === 'sample') return exactly(await host.sample?.(params, context)) ?? {};
    return { roots: (await host.listRoots?.(context)) ?? [] };
  }

  return {
    receive(item: HostItem): void {
      if ('progress' in item) host.onProgress?.(item.progress);
      else if ('log' in item) host.onLog?.(item.log);
      else if ('task' in item) onTask?.(item.task);
      else if ('notice' in item) host.onNotice?.(item.notice);
      else if ('isWaiting' in item) {
        resume?.();
        resume = item.isWaiting ? onWait?.() : undefined;
      } else if ('question' in item) void ask(item.question);
      else questions.get(item.withdrawn)?.abort(new Error('The server no longer waits for the answer'));
    },
    /** The request has ended: nobody waits for answers. */
    close(): void {
      resume?.();
      for (const question of questions.values()) question.abort(new Error('The request has ended'));
    },
  };
}
