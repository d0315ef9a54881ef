import { isObject, type JsonObject } from '../../../contract/json.ts';
import { appsCapability } from '../../../toolwharf/catalog/app-tools.ts';
import { relatedTask } from '../../../toolwharf/connections/follow-task.ts';
import type { ReplyMeter } from '../../../toolwharf/connections/request-host.ts';
import type { CallHost, CallQuestionContext } from '../../../toolwharf/invocation/call.ts';
import { exactly } from '../../../toolwharf/kernel/exact-json.ts';
import { questionKey } from '../../../toolwharf/kernel/own-meta.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { describeArguments } from '../../../toolwharf/policy/describe-arguments.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import type { ClientRequest } from './client-request.ts';
import { passesLevel } from './log-levels.ts';
import { metaOf } from './rpc.ts';
import { nameLogger, nameServer } from './server-questions.ts';

/** Makes the client the host of its request: it answers the server's questions and receives progress and log messages. */
export function toClientHost(request: ClientRequest, input?: CallHost['input']): CallHost {
  return new ClientHost(request, input);
}

/** A class, because every call has one: methods on a prototype cost nothing per call. Its fields are visible to objects made from it. */
class ClientHost implements CallHost {
  private readonly request: ClientRequest;
  readonly input: CallHost['input'];
  readonly onProgress: CallHost['onProgress'];
  readonly askClient: CallHost['askClient'];

  constructor(request: ClientRequest, input: CallHost['input']) {
    this.request = request;
    this.input = input;
    const { progressToken } = metaOf(request.params);
    if (progressToken !== undefined) this.onProgress = progressNotifier(request, progressToken);
    if (isObject(request.capabilities.elicitation)) this.askClient = userAsker(request);
  }

  get capabilities(): JsonObject {
    return askableOf(this.request.capabilities);
  }

  get client(): CallHost['client'] {
    return this.request;
  }

  /** A client that timed out can repeat the call and reuse its approval. */
  get mayRepeat(): boolean {
    return true;
  }

  async elicit(params: JsonObject, context: CallQuestionContext): Promise<never> {
    return (await this.ask('elicitation/create', params, context)) as never;
  }

  sample(params: JsonObject, context: CallQuestionContext): Promise<JsonObject> {
    return this.ask('sampling/createMessage', params, context);
  }

  async listRoots(context: CallQuestionContext): Promise<never> {
    return (await this.ask('roots/list', {}, context)).roots as never;
  }

  onLog(params: JsonObject, server?: string): void {
    if (wantsLog(this.request, params)) this.request.notify('notifications/message', nameLogger(params, server));
  }

  openReply(subject: string): ReplyMeter | undefined {
    return this.request.usage?.results?.openReply(subject);
  }

  private async ask(method: string, params: JsonObject, context: CallQuestionContext): Promise<JsonObject> {
    const { signal, key, server } = context;
    const { name, question } = readQuestion(exactly(params));
    return this.request.ask(method, nameServer(method, question, server), signal, key ?? name);
  }
}

function progressNotifier(request: ClientRequest, progressToken: unknown): NonNullable<CallHost['onProgress']> {
  return ({ extra, ...progress }) => request.notify('notifications/progress', { ...progress, ...extra, progressToken });
}

function userAsker(request: ClientRequest): NonNullable<CallHost['askClient']> {
  return (approval, signal) => askClientUser(request, approval, signal);
}

const askable = new WeakMap<JsonObject, JsonObject>();

/** The capabilities of a client to answer questions. All requests of a session have the same capabilities. */
function askableOf(capabilities: JsonObject): JsonObject {
  const known = askable.get(capabilities);
  if (known) return known;
  const { elicitation, sampling, roots } = capabilities;
  const own = { elicitation, sampling, roots };
  askable.set(capabilities, own);
  return own;
}

/** Declares to servers that the gateway supports questions, which the host of each call answers, and passes on apps. */
export const questionsNeedCall: CallHost = {
  capabilities: {
    elicitation: { form: {}, url: {} },
    sampling: { tools: {} },
    roots: {},
    extensions: appsCapability,
  },
  elicit: refuseQuestion,
  sample: refuseQuestion,
  listRoots: refuseQuestion,
};

async function refuseQuestion(): Promise<never> {
  throw new Error('Only a question that belongs to a running call can be answered');
}

/** Modern clients request log messages in each request. Legacy clients get all messages unless they set a level. */
function wantsLog({ era, logLevel }: ClientRequest, params: JsonObject): boolean {
  return logLevel === undefined ? era === 'legacy' : passesLevel(params.level, logLevel);
}

/** A server's question without the members that are meant for the gateway: its key, progress token and task. */
export function readQuestion(params: JsonObject): { readonly name?: string; readonly question: JsonObject } {
  const { [questionKey]: name, [relatedTask]: _task, progressToken: _token, ...meta } = metaOf(params);
  const { _meta, ...rest } = params;
  const question = Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
  return { question, name: typeof name === 'string' && name !== '' ? name : undefined };
}

/** Asks the calling client's own user for approval, by elicitation. */
export async function askClientUser(
  client: Pick<ClientRequest, 'ask'>,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const args = describeArguments(request.arguments, { maxLength: maxShown });
  // The reason names members of the request beside its arguments.
  const isWhole = args !== undefined && request.reason.length <= maxShown;
  const form = toForm(request, isWhole ? args : undefined);
  return toAnswer(await client.ask('elicitation/create', form, signal), isWhole);
}

const maxShown = 8_000;

/** A person who cannot see every argument can only deny. */
function toForm(request: ApprovalRequest, args: string | undefined): JsonObject {
  const shown = (text: string) => toDisplayText(text, { maxLength: maxShown });
  const server = request.server === undefined ? '' : ` of server ${shown(request.server)}`;
  const lines = [
    `Allow ${shown(request.originalName)}${server} to run?`,
    `Reason: ${shown(request.reason)}.`,
    args === undefined
      ? 'The call has too many parts to be shown here: only the Toolwharf app or command line can allow this call.'
      : `Arguments: ${args}`,
  ];
  return {
    mode: 'form',
    message: lines.join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Answer',
          enum: args === undefined ? ['deny'] : ['once', 'deny'],
          default: 'deny',
        },
      },
      required: ['answer'],
    },
  };
}

function toAnswer(reply: JsonObject, mayAllow: boolean): ApprovalAnswer {
  const answer = isObject(reply.content) ? reply.content.answer : undefined;
  if (mayAllow && reply.action === 'accept' && answer === 'once') return { kind: 'allow' };
  return { kind: 'deny', reason: 'the user denied it' };
}
