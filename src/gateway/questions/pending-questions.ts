import { randomUUID } from 'node:crypto';
import type { OpenedModel } from '../../chat/models/models.ts';
import type { ElicitAnswer, QuestionContext, Questions } from '../../connections/questions.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import { createEvents, type Events } from '../../kernel/events.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Caller } from '../../kernel/tool.ts';
import { measureJson } from '../../policy/measure-json.ts';
import type { CallInFlight, CallsInFlight } from '../calls/calls-in-flight.ts';
import { checkContent } from './check-content.ts';

/** What a server asks in the middle of a call of the API or of an assistant, until a person answers or the call ends. */
export interface PendingQuestion {
  readonly id: string;
  readonly kind: 'elicitation' | 'sampling';
  readonly server: string;
  /** Undefined where it may belong to one of several calls. */
  readonly callId?: string;
  readonly tool?: string;
  /** Who made the call. */
  readonly caller: Caller;
  readonly params: JsonObject;
  readonly askedAt: string;
  readonly expiresAt: string;
}

export interface PendingQuestionsEvents {
  asked: PendingQuestion;
  answered: { readonly question: PendingQuestion; readonly action: ElicitAnswer['action'] | 'withdrawn' };
}

export interface PendingQuestions {
  /** Oldest first. */
  list(): readonly PendingQuestion[];
  find(id: string): PendingQuestion | undefined;
  /** The first answer counts: false when it waits no more. Content that does not fit the form is one `REQUEST_INVALID`. */
  answer(id: string, answer: ElicitAnswer): boolean;
  /** Takes a question if it belongs to one of our calls; undefined where it does not. */
  take(kind: PendingQuestion['kind'], params: JsonObject, context: QuestionContext): Promise<JsonObject> | undefined;
  /** From whom accepted sampling gets its answer: the model of the assistant that makes a call. */
  setModelOf(modelOf: (callId: string) => Promise<OpenedModel | undefined>): void;
  readonly on: Events<PendingQuestionsEvents>['on'];
}

export interface PendingQuestionsOptions {
  readonly calls: Pick<CallsInFlight, 'find' | 'on'>;
  /** How long one waits; then it is as if nobody wanted to answer. */
  readonly expiresMs: () => number;
  /** 200. */
  readonly maxOpen?: number;
  /** 4 MiB. */
  readonly maxBytes?: number;
}

interface Waiting {
  readonly question: PendingQuestion;
  readonly callIds: Set<string>;
  settle(action: ElicitAnswer['action'] | 'withdrawn', answer?: ElicitAnswer): void;
}

export function createPendingQuestions(options: PendingQuestionsOptions): PendingQuestions {
  const { calls, maxOpen = 200, maxBytes = 4 * 1024 * 1024 } = options;
  const events = createEvents<PendingQuestionsEvents>();
  const waiting = new Map<string, Waiting>();
  let modelOf: (callId: string) => Promise<OpenedModel | undefined> = async () => undefined;

  calls.on('ended', ({ id }) => {
    for (const one of waiting.values()) if (one.callIds.delete(id) && one.callIds.size === 0) one.settle('withdrawn');
  });

  /** The calls a question may belong to, if all of them are ours and of one caller. */
  function callsOf({ callId, callIds = callId === undefined ? [] : [callId] }: QuestionContext) {
    const found = callIds.map((id) => calls.find(id)).filter((call) => call !== undefined);
    const callers = new Set(found.map(({ caller }) => `${caller.id}\0${caller.conversation ?? ''}`));
    return found.length > 0 && found.length === callIds.length && callers.size === 1 ? found : undefined;
  }

  async function ask(
    kind: PendingQuestion['kind'],
    params: JsonObject,
    { server, signal }: QuestionContext,
    asking: readonly CallInFlight[],
  ): Promise<ElicitAnswer> {
    if (waiting.size >= maxOpen) throw refused('too many questions wait for an answer already');
    if (measureJson(params, { maxBytes, maxDepth: 64 }).exceeded) throw refused('it is too big to be shown');
    signal.throwIfAborted();
    const [call, ...others] = asking;
    const now = Date.now();
    const expiresMs = options.expiresMs();
    const question: PendingQuestion = {
      id: randomUUID(),
      kind,
      server,
      ...(call && others.length === 0 && { callId: call.id, tool: call.tool }),
      caller: call?.caller as Caller,
      params,
      askedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + expiresMs).toISOString(),
    };
    const answer = await new Promise<ElicitAnswer | undefined>((resolve) => {
      const settle: Waiting['settle'] = (action, given) => {
        if (!waiting.delete(question.id)) return;
        clearTimeout(timer);
        signal.removeEventListener('abort', withdraw);
        events.emit('answered', { question, action });
        resolve(given);
      };
      const withdraw = () => settle('withdrawn');
      const timer = setTimeout(() => settle('withdrawn', { action: 'cancel' }), expiresMs).unref();
      signal.addEventListener('abort', withdraw, { once: true });
      waiting.set(question.id, { question, callIds: new Set(asking.map(({ id }) => id)), settle });
      events.emit('asked', question);
    });
    if (!answer) throw new ToolwharfError('CALL_CANCELLED', 'The call ended before anybody answered');
    return answer;
  }

  async function sample(params: JsonObject, context: QuestionContext, asking: readonly CallInFlight[]) {
    const model = asking[0] && (await modelOf(asking[0].id));
    if (!model) throw refused('this call is not part of a conversation, so there is no model to ask');
    const { action } = await ask('sampling', params, context, asking);
    if (action !== 'accept') throw refused('the person did not allow the model to be asked');
    // Models are asked rarely here, and what asks them is big.
    const { answerSampling } = await import('../../chat/answer-sampling.ts');
    return answerSampling(params, model, context.signal);
  }

  return {
    list: () => [...waiting.values()].map(({ question }) => question),
    find: (id) => waiting.get(id)?.question,
    answer(id, answer) {
      const one = waiting.get(id);
      if (!one) return false;
      const { kind, params } = one.question;
      const isForm = kind === 'elicitation' && params.mode !== 'url' && answer.action === 'accept';
      const content = isForm ? checkContent(params.requestedSchema, answer.content ?? {}) : undefined;
      one.settle(answer.action, { action: answer.action, ...(content && { content }) });
      return true;
    },
    take(kind, params, context) {
      const asking = callsOf(context);
      if (!asking) return undefined;
      if (kind === 'sampling') return sample(params, context, asking);
      return ask(kind, params, context, asking).then((answer) => ({ ...answer }));
    },
    setModelOf(given) {
      modelOf = given;
    },
    on: events.on,
  };
}

/** The first answerers for what is theirs, the others for everything else. */
export function questionsFor(pending: PendingQuestions, others: Required<Questions>): Questions {
  return {
    elicit: (params, context) =>
      (pending.take('elicitation', params, context) ?? others.elicit(params, context)) as Promise<ElicitAnswer>,
    sample: (params, context) => pending.take('sampling', params, context) ?? others.sample(params, context),
    roots: others.roots,
  };
}

function refused(why: string): ToolwharfError {
  return new ToolwharfError('INPUT_REFUSED', `What the server asked was refused: ${why}`);
}
