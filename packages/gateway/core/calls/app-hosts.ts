import type { JsonObject } from '../../../contract/json.ts';
import { appsCapability } from '../../../toolwharf/catalog/app-tools.ts';
import type { Call, CallHost } from '../../../toolwharf/invocation/call.ts';
import { createEvents, type Events } from '../../../toolwharf/kernel/events.ts';
import type { Caller, Progress } from '../../../toolwharf/kernel/tool.ts';
import type { RequestResults } from '../http/limits/result-memory.ts';
import { type PendingQuestions, questionRefused } from './pending-questions.ts';

/** Creates the hosts of REST, A2A and assistant calls. The app answers their questions and shows their progress. */
export interface AppHosts {
  create(call: AppCall, options?: AppHostOptions): CallHost;
  readonly on: Events<AppHostEvents>['on'];
}

export interface AppCall {
  readonly id: string;
  readonly caller: Caller;
}

export interface AppHostOptions {
  /** Answers the server's sampling requests with a model, after a person has approved them. Without it, the person replies. */
  readonly answerSampling?: AnswerSampling;
  /** Counts the call's result until it is sent; until the call has ended by default. */
  readonly results?: Pick<RequestResults, 'openReply'>;
}

export type AnswerSampling = (params: JsonObject, signal: AbortSignal | undefined) => Promise<JsonObject>;

export interface AppHostEvents {
  /** Emitted at most ten times per second for each call. */
  progressed: { readonly call: AppCall; readonly progress: Progress };
}

export interface AppHostsOptions {
  /** Undefined if nobody can answer questions. */
  readonly questions: Pick<PendingQuestions, 'ask'> | undefined;
  readonly findCall: (id: string) => Call | undefined;
  readonly openResults: (caller: Caller) => RequestResults;
}

const progressIntervalMs = 100;

export function createAppHosts({ questions, findCall, openResults }: AppHostsOptions): AppHosts {
  const events = createEvents<AppHostEvents>();

  function resultsOf({ id, caller }: AppCall): Pick<RequestResults, 'openReply'> {
    let results: RequestResults | undefined;
    return {
      openReply(subject) {
        if (!results) {
          results = openResults(caller);
          const opened = results;
          void findCall(id)?.result.then(() => opened[Symbol.dispose]());
        }
        return results.openReply(subject);
      },
    };
  }

  return {
    create(call, { answerSampling, results = resultsOf(call) } = {}) {
      const onProgress = throttle<Progress>(progressIntervalMs, (progress) => {
        if (findCall(call.id)) events.emit('progressed', { call, progress });
      });
      const reporting = { onProgress, openReply: (subject: string) => results.openReply(subject) };
      if (!questions) return reporting;
      return {
        ...reporting,
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, extensions: appsCapability },
        elicit: (params, context) => questions.ask({ kind: 'elicitation', params }, context),
        async sample(params, context) {
          const repliedBy = answerSampling ? 'model' : 'person';
          const { action, content } = await questions.ask({ kind: 'sampling', params, repliedBy }, context);
          if (action !== 'accept') throw questionRefused('the person did not allow it');
          return answerSampling ? answerSampling(params, context.signal) : toReply(String(content?.text));
        },
      };
    },
    on: events.on,
  };
}

/** Passes values on at a limited rate: the first immediately, then the latest value of each interval. */
export function throttle<Value>(intervalMs: number, pass: (value: Value) => void): (value: Value) => void {
  let timer: NodeJS.Timeout | undefined;
  let latest: { readonly value: Value } | undefined;

  function push(value: Value): void {
    if (timer) {
      latest = { value };
      return;
    }
    timer = setTimeout(onInterval, intervalMs).unref();
    pass(value);
  }

  function onInterval(): void {
    timer = undefined;
    const waiting = latest;
    latest = undefined;
    if (waiting) push(waiting.value);
  }

  return push;
}

/** The result of a sampling request that a person answered. */
function toReply(text: string): JsonObject {
  return { role: 'assistant', content: { type: 'text', text }, model: 'person', stopReason: 'endTurn' };
}
