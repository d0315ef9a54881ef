import type { Era } from '../../contract/connections.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactly } from '../kernel/exact-json.ts';
import { overrideMembers } from '../kernel/override-members.ts';
import { withoutOwnMembers } from '../kernel/own-meta.ts';
import type { Caller, Progress } from '../kernel/tool.ts';
import { assertSafeQuestion } from './safe-questions.ts';

/** The circumstances of a server's question. */
export interface QuestionContext {
  readonly server: string;
  /** The call it belongs to; undefined for a question outside of any call. */
  readonly callId?: string;
  /** The key that a server of the modern era gave the question. */
  readonly key?: string;
  readonly signal: AbortSignal;
}

/** A person's answer to `elicitation/create`. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/** A folder that a server may work in. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** A message of the connection itself about one request. */
export interface RequestNotice {
  /** `waiting` for another request · `resumed` after that · a question that may be this request's was refused. */
  readonly kind: 'waiting' | 'resumed' | 'question-refused';
  readonly message: string;
}

/** Counts the reply to one request while it is received, before it is parsed. */
export interface ReplyMeter {
  /** Counts the next part. Throws if the reply must not be received further. */
  receive(part: Uint8Array): void;
  /** Called when the counted parts are no longer in memory: they were not the reply, or the request has failed. */
  discard(): void;
}

/**
 * The caller's side of a request: answers the server's questions and receives its notifications for this request.
 * A question that the host has no method for is answered by the connection's default (`ConnectionOptions.defaultHost`).
 */
export interface RequestHost {
  /** Answers `elicitation/create`. */
  elicit?(params: JsonObject, context: QuestionContext): Promise<ElicitAnswer>;
  /** Answers `sampling/createMessage`. */
  sample?(params: JsonObject, context: QuestionContext): Promise<JsonObject>;
  /** Answers `roots/list`. */
  listRoots?(context: QuestionContext): Promise<readonly Root[]>;
  /** The capabilities of the client behind this host; by default one for each method above. */
  readonly capabilities?: JsonObject;
  /** The MCP client behind this host, if there is one. */
  readonly client?: {
    readonly era: Era;
    /** Identifies its session; undefined for clients without sessions. */
    readonly session?: string;
    readonly caller?: Pick<Caller, 'id' | 'conversation'>;
    readonly capabilities?: JsonObject;
    /** Asks for its roots outside of a request; undefined for clients without sessions. */
    readonly listRoots?: (signal: AbortSignal) => Promise<readonly Root[]>;
  };
  onProgress?(progress: Progress): void;
  onNotice?(notice: RequestNotice): void;
  /**
   * Reserves memory for the reply, right before the request is sent. Throws if there is none left. `subject` names the
   * server and the tool or method, whose replies are usually alike in size.
   */
  openReply?(subject: string): ReplyMeter | undefined;
  /** Receives the params of `notifications/message` of this server. */
  onLog?(params: JsonObject, server?: string): void;
  /** Set by a client that answers `input_required` results itself: such a result is returned unchanged. */
  readonly input?: {
    /** Sent as `inputResponses`. */
    readonly responses?: JsonObject;
    /** Sent as `requestState`. */
    readonly state?: unknown;
  };
}

/** A host whose roots are configured for the server: the same for every request. */
export interface RootedHost extends RequestHost {
  readonly fixedRoots?: readonly Root[];
}

/** Makes a host answer `roots/list` with the roots that are configured for the server, if there are any. */
export function withRoots<Host extends RequestHost>(host: Host, fixedRoots?: readonly Root[]): Host & RootedHost {
  if (!fixedRoots) return host;
  const capabilities = host.capabilities && { ...host.capabilities, roots: {} };
  return overrideMembers<RootedHost>(host, {
    capabilities,
    fixedRoots,
    listRoots: async () => fixedRoots,
  }) as Host & RootedHost;
}

/**
 * The default host of a server's session that belongs to one session of a client: the server learns its experimental capabilities, and
 * it answers for its roots outside of requests too.
 */
export function toSessionHost(defaultHost: RootedHost, client: RequestHost['client']): RootedHost {
  if (client?.session === undefined || !client.capabilities) return defaultHost;
  const { experimental, roots } = client.capabilities;
  const listRoots = defaultHost.fixedRoots || !isObject(roots) ? undefined : client.listRoots;
  const capabilities = {
    ...capabilitiesOf(defaultHost),
    ...(isObject(experimental) && { experimental }),
    ...(listRoots && { roots }),
  };
  return overrideMembers<RootedHost>(defaultHost, {
    capabilities,
    ...(listRoots && { listRoots: ({ signal }: QuestionContext) => listRoots(signal) }),
  });
}

/** The client capabilities to announce: the kinds of questions that the host answers. */
export function capabilitiesOf({ capabilities, elicit, sample, listRoots }: RequestHost): JsonObject {
  if (capabilities) return capabilities;
  return {
    ...(elicit && { elicitation: { form: {}, url: {} } }),
    ...(sample && { sampling: {} }),
    ...(listRoots && { roots: {} }),
  };
}

/** True when the host, or else the default host, answers at least one kind of question. */
export function canBeAsked(host: RootedHost, defaultHost: RootedHost): boolean {
  const { elicitation, sampling, roots } = capabilitiesOf(host);
  if (elicitation !== undefined || sampling !== undefined) return true;
  // Every request has the same configured roots: it does not matter which one asks for them.
  if (roots !== undefined && !host.fixedRoots) return true;
  return host.capabilities === undefined && host !== defaultHost && canBeAsked(defaultHost, defaultHost);
}

/** Answers a server's question with the host of its request, else with the default host; rejects if neither can. */
export async function answerQuestion(
  host: RequestHost | undefined,
  defaultHost: RequestHost,
  method: string,
  params: JsonObject,
  context: QuestionContext,
): Promise<JsonObject> {
  assertSafeQuestion(context.server, method, params);
  switch (method) {
    case 'elicitation/create': {
      const answerer = host?.elicit ? host : defaultHost;
      if (!answerer.elicit) throw noAnswerer(method);
      return fillDefaults(exactly(params), exactly(await answerer.elicit(params, context)));
    }
    case 'sampling/createMessage': {
      const answerer = host?.sample ? host : defaultHost;
      if (!answerer.sample) throw noAnswerer(method);
      return withSafeMeta(exactly(await answerer.sample(params, context)));
    }
    case 'roots/list': {
      const answerer = host?.listRoots ? host : defaultHost;
      if (!answerer.listRoots) throw noAnswerer(method);
      return { roots: await answerer.listRoots(context) };
    }
    default:
      throw noAnswerer(method);
  }
}

/** Reports to the server that this question is not answered: JSON-RPC "method not found". */
class UnansweredQuestionError extends Error {
  readonly code = -32601;
}

function noAnswerer(method: string): UnansweredQuestionError {
  return new UnansweredQuestionError(`This client cannot answer ${method}`);
}

/** An accepted form with the default of each field that the person left out. */
function fillDefaults(params: JsonObject, answer: ElicitAnswer): JsonObject {
  const schema = params.requestedSchema;
  if (answer.action !== 'accept' || !isObject(schema) || !isObject(schema.properties))
    return withSafeMeta({ ...answer });
  const content: Record<string, unknown> = { ...answer.content };
  for (const [key, property] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(content, key) && isObject(property) && property.default !== undefined) {
      content[key] = property.default;
    }
  }
  return withSafeMeta({ ...answer, content });
}

/** An answer keeps the `_meta` of the client, without members that only Toolwharf may set. */
function withSafeMeta(answer: JsonObject): JsonObject {
  return isObject(answer._meta) ? { ...answer, _meta: withoutOwnMembers(answer._meta) } : answer;
}
