import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Log } from '../kernel/log.ts';
import type { Objection, ReviewCall, ReviewedCall } from '../policy/review.ts';
import type { PluginPolicy } from './plugin.ts';
import { runInTime } from './run-in-time.ts';

/** The policy of a plugin, with the plugin's name. */
export interface NamedPolicy {
  readonly name: string;
  readonly policy: PluginPolicy;
}

export interface ReviewOptions {
  readonly log: Log;
  /** How long a policy may take; 5 000. */
  readonly timeoutMs?: number;
}

const maxReasonLength = 1_000;

/**
 * Asks all policies at the same time. A denial beats a failure, and a failure beats a question: a call never runs because a
 * policy failed. Undefined without policies, so that calls do not wait for a review.
 */
export function createReview(policies: readonly NamedPolicy[], options: ReviewOptions): ReviewCall | undefined {
  const { log, timeoutMs = 5_000 } = options;
  if (policies.length === 0) return undefined;

  async function ask(
    { name, policy }: NamedPolicy,
    call: ReviewedCall,
  ): Promise<Objection | ToolwharfError | undefined> {
    try {
      // A copy: a policy must not change the call.
      const copy: ReviewedCall = JSON.parse(JSON.stringify(call));
      return toObjection(name, await runInTime((context) => policy(copy, context), timeoutMs));
    } catch (cause) {
      const failure = `The policy of plugin '${name}' failed: ${messageOf(cause)}`;
      log.error('plugin.policy-failed', failure, { plugin: name, callId: call.id });
      const message = `${failure}. The call was not made; correct or remove the plugin`;
      return new ToolwharfError('POLICY_FAILED', message, { cause, data: { plugin: name } });
    }
  }

  return async (call) => {
    const answers = await Promise.all(policies.map((policy) => ask(policy, call)));
    const objections = answers.flatMap((answer) => (answer && !(answer instanceof ToolwharfError) ? answer : []));
    const denial = objections.find(({ kind }) => kind === 'deny');
    if (denial) return denial;
    const failure = answers.find((answer) => answer instanceof ToolwharfError);
    if (failure) throw failure;
    return objections[0];
  };
}

function toObjection(by: string, verdict: unknown): Objection | undefined {
  if (verdict === undefined) return undefined;
  if (isObject(verdict) && (verdict.kind === 'ask' || verdict.kind === 'deny') && typeof verdict.reason === 'string')
    return { kind: verdict.kind, reason: verdict.reason.slice(0, maxReasonLength), by };
  throw new Error("it must return undefined, or { kind: 'ask' or 'deny', reason }");
}
