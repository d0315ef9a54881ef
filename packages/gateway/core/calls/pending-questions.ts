import { randomUUID } from 'node:crypto';
import type { QuestionView } from '../../../contract/api/questions.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isObject, type JsonObject, type JsonSchema } from '../../../contract/json.ts';
import type { ElicitAnswer } from '../../../toolwharf/connections/request-host.ts';
import type { CallQuestionContext } from '../../../toolwharf/invocation/call.ts';
import { createEvents, type Events } from '../../../toolwharf/kernel/events.ts';
import { exactMember } from '../../../toolwharf/kernel/exact-json.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { measureJson } from '../../../toolwharf/policy/measure-json.ts';
import { createArgumentsChecker } from '../../../toolwharf/policy/validate-arguments.ts';
import { requestError } from '../rest/request-problems.ts';

/** A server's question during a call of the API or of an assistant, until a person answers or the call ends. */
export interface PendingQuestion {
  readonly id: string;
  readonly kind: 'elicitation' | 'sampling';
  readonly server: string;
  readonly callId: string;
  readonly tool: string;
  /** The caller that made the call. */
  readonly caller: Caller;
  readonly params: JsonObject;
  /** For sampling: the model of the conversation replies after a person allows it, or the person writes the reply. */
  readonly repliedBy?: 'model' | 'person';
  readonly askedAt: string;
  readonly expiresAt: string;
}

export interface PendingQuestionsEvents {
  asked: PendingQuestion;
  answered: { readonly question: PendingQuestion; readonly action: ElicitAnswer['action'] | 'withdrawn' };
}

/** The questions that wait for a person in the app, on the command line or over REST. */
export interface PendingQuestions {
  /** Oldest first. */
  list(): readonly PendingQuestion[];
  find(id: string): PendingQuestion | undefined;
  /** Answers a question; the first answer counts: false when it is no longer pending. Invalid content throws `REQUEST_INVALID`. */
  answer(id: string, answer: ElicitAnswer): boolean;
  /** Asks and waits for the answer. Rejects when the call ends first; an expired question counts as cancelled. */
  ask(
    question: Pick<PendingQuestion, 'kind' | 'params' | 'repliedBy'>,
    context: CallQuestionContext,
  ): Promise<ElicitAnswer>;
  readonly on: Events<PendingQuestionsEvents>['on'];
}

export interface PendingQuestionsOptions {
  /** How long a question waits for its answer. */
  readonly expiresMs: () => number;
  /** 200. */
  readonly maxPending?: number;
  /** 50. */
  readonly maxPendingPerCaller?: number;
  /** The size of all questions; 32 MiB. */
  readonly maxTotalBytes?: number;
  /** The size of one question; 4 MiB. */
  readonly maxBytes?: number;
}

interface Pending {
  readonly question: PendingQuestion;
  readonly bytes: number;
  settle(action: ElicitAnswer['action'] | 'withdrawn', answer?: ElicitAnswer): void;
}

export function createPendingQuestions(options: PendingQuestionsOptions): PendingQuestions {
  const { maxPending = 200, maxPendingPerCaller = 50, maxBytes = 4 * 1024 * 1024 } = options;
  const { maxTotalBytes = 32 * 1024 * 1024 } = options;
  const events = createEvents<PendingQuestionsEvents>();
  const pending = new Map<string, Pending>();

  return {
    list: () => [...pending.values()].map(({ question }) => question),
    find: (id) => pending.get(id)?.question,
    answer(id, answer) {
      const found = pending.get(id);
      if (!found) return false;
      const form = answer.action === 'accept' && formOf(found.question);
      const content = form ? checkContent(form, answer.content ?? {}) : undefined;
      found.settle(answer.action, { action: answer.action, content });
      return true;
    },
    async ask({ kind, params, repliedBy }, { call, server, signal }) {
      if (pending.size >= maxPending) throw questionRefused('too many questions are pending already');
      const { bytes, exceeded } = measureJson(params, { maxBytes, maxDepth: 64 });
      if (exceeded) throw questionRefused('it is too large to show');
      const others = [...pending.values()];
      if (others.filter(({ question }) => question.caller.id === call.caller.id).length >= maxPendingPerCaller)
        throw questionRefused('too many questions of this caller are pending already');
      if (others.reduce((sum, other) => sum + other.bytes, bytes) > maxTotalBytes)
        throw questionRefused('the pending questions are too large already');
      signal.throwIfAborted();
      const now = Date.now();
      const expiresMs = options.expiresMs();
      const question: PendingQuestion = {
        id: randomUUID(),
        kind,
        server,
        callId: call.id,
        tool: call.tool,
        caller: call.caller,
        params,
        repliedBy,
        askedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + expiresMs).toISOString(),
      };
      const answer = await new Promise<ElicitAnswer | undefined>((resolve) => {
        const settle: Pending['settle'] = (action, given) => {
          if (!pending.delete(question.id)) return;
          clearTimeout(timer);
          signal.removeEventListener('abort', withdraw);
          events.emit('answered', { question, action });
          resolve(given);
        };
        const withdraw = () => settle('withdrawn');
        const timer = setTimeout(() => settle('withdrawn', { action: 'cancel' }), expiresMs).unref();
        signal.addEventListener('abort', withdraw, { once: true });
        pending.set(question.id, { question, bytes, settle });
        events.emit('asked', question);
      });
      if (!answer) throw new ToolwharfError('CALL_CANCELLED', 'The call ended before an answer');
      return answer;
    },
    on: events.on,
  };
}

/** The error for a question that no person can be asked. */
export function questionRefused(why: string): ToolwharfError {
  return new ToolwharfError('INPUT_REFUSED', `The server's question was refused: ${why}`);
}

const checker = createArgumentsChecker({ maxEntries: 200 });

const replySchema = { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] };

/** The schema of the values that an accepted question needs. */
function formOf({ kind, params, repliedBy }: PendingQuestion): JsonObject | undefined {
  if (kind === 'sampling') return repliedBy === 'person' ? replySchema : undefined;
  if (params.mode === 'url') return undefined;
  const schema = exactMember(params, 'requestedSchema');
  return isObject(schema) ? schema : {};
}

/** Validates an answer by the server's form. All problems are reported in one `REQUEST_INVALID`. */
function checkContent(form: JsonObject, content: JsonObject): JsonObject {
  const check = checker.prepare(withoutDefaulted(form));
  // A schema that the validator does not support is left to the server.
  const verdict = check.kind === 'ready' ? check.check(content) : { ok: true as const };
  if (verdict.ok) return content;
  throw requestError(
    verdict.problems.map(({ path, expected, got }) => ({
      path: `body.content${path.replaceAll('/', '.')}`,
      message: `expected ${expected}, got ${got}`,
    })),
  );
}

/** Members with a default are optional: the default is added before the answer is sent. */
function withoutDefaulted(form: JsonSchema): JsonSchema {
  const { properties, required } = form;
  if (!isObject(properties) || !Array.isArray(required)) return form;
  const isDefaulted = (name: string) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(property) && property.default !== undefined;
  };
  return { ...form, required: required.filter((name) => !isDefaulted(String(name))) };
}

/** A question as shown to those who may answer it. */
export function toQuestionView({ caller, ...question }: PendingQuestion): QuestionView {
  return { ...question, conversation: caller.conversation };
}
