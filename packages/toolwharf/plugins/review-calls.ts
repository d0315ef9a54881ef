import { z } from 'zod';
import { dataFlowSchema, dataSourceSchema } from '../../contract/api/data-flows.ts';
import { ToolwharfError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { pluginModes, policyActions } from '../../contract/settings/choices.ts';
import type {
  AllowFlow,
  DecidingRule,
  Objection,
  ReachedLimit,
  Review,
  ReviewCall,
  ReviewedCall,
  Trace,
} from '../policy/review.ts';
import type { ActivePlugin } from './active-plugin.ts';
import { copyJson, labelsOf, mergeLabels } from './copies.ts';
import type { ReviewVerdict } from './plugin.ts';

const maxReasonLength = 1_000;
const flowsSchema = z.array(dataFlowSchema).readonly();
const traceSchema = z.object({
  sources: z.array(dataSourceSchema).readonly().optional(),
  contextLabels: z.array(z.string().min(1).max(100)).readonly().optional(),
});

/**
 * Asks all reviewers at the same time. A denial beats a failure, and a failure beats a question: a call never runs because a
 * review failed, unless the operator allows that. Undefined without reviewers, so that calls do not wait for a review.
 */
export function createReview(plugins: readonly ActivePlugin[]): ReviewCall | undefined {
  const reviewers = plugins.filter(({ review }) => review);
  const trace = createTrace(plugins);
  if (reviewers.length === 0 && !trace) return undefined;

  async function ask(active: ActivePlugin, call: ReviewedCall): Promise<Review | ToolwharfError> {
    const { plugin, review } = active;
    const fields = { callId: call.id };
    try {
      const verdict = await active.run('review', (context) => review?.(copyJson(call), context));
      const objection = toObjection(plugin.name, verdict);
      const labels = labelsOf(verdict);
      const rules = rulesOf(verdict);
      if (objection) {
        const effect = objection.kind === 'deny' ? 'denied the call' : 'asked for approval';
        active.shadows('review', `${effect} of ${call.tool}: ${objection.reason}`, fields);
      }
      if (active.mode === 'shadow') return { rules: rules?.map((rule) => ({ ...rule, mode: 'shadow' })) };
      return { objection, labels, rules };
    } catch (cause) {
      return toFailure('review', active, cause, fields) ?? {};
    }
  }

  return async (reviewed) => {
    const traced = await trace?.(reviewed);
    const call = traced ? { ...reviewed, ...traced } : reviewed;
    const answers = await Promise.all(reviewers.map((reviewer) => ask(reviewer, call)));
    const reviews = answers.flatMap((answer) => (answer instanceof ToolwharfError ? [] : answer));
    const labels = reviews.reduce<Review['labels']>((all, one) => mergeLabels(all, one.labels), undefined);
    const rules = reviews.some((one) => one.rules) ? reviews.flatMap((one) => one.rules ?? []) : undefined;
    const objections = reviews.flatMap(({ objection }) => objection ?? []);
    const denial = objections.find(({ kind }) => kind === 'deny');
    if (denial) return { objection: denial, labels, rules, ...traced };
    const failure = answers.find((answer) => answer instanceof ToolwharfError);
    if (failure) throw failure;
    return { objection: mergeQuestions(objections), labels, rules, ...traced };
  };
}

/** Stores allowed data flows with all plugins. Undefined if none stores them. */
export function createAllowFlow(plugins: readonly ActivePlugin[]): AllowFlow | undefined {
  const storing = plugins.filter(({ plugin }) => plugin.allowFlow);
  if (storing.length === 0) return undefined;
  return async (request) => {
    await Promise.all(
      storing.map((active) =>
        active
          .run('allowFlow', (context) => active.plugin.allowFlow?.(copyJson(request), context))
          // People are asked again.
          .catch((cause) => void active.fail('allowFlow', cause, { callId: request.callId })),
      ),
    );
  };
}

/** Asks all tracers at the same time. Rejects with `POLICY_FAILED` if one fails, unless the operator allows that. */
function createTrace(plugins: readonly ActivePlugin[]): ((call: ReviewedCall) => Promise<Trace>) | undefined {
  const tracers = plugins.filter(({ plugin }) => plugin.trace);
  if (tracers.length === 0) return undefined;

  async function ask(active: ActivePlugin, call: ReviewedCall): Promise<Trace> {
    try {
      const traced = await active.run('trace', (context) => active.plugin.trace?.(copyJson(call), context));
      return active.mode === 'shadow' ? {} : checkTrace(traced);
    } catch (cause) {
      const failure = toFailure('trace', active, cause, { callId: call.id });
      if (failure) throw failure;
      return {};
    }
  }

  return async (call) => {
    const traces = await Promise.all(tracers.map((tracer) => ask(tracer, call)));
    const sources = traces.flatMap((one) => one.sources ?? []);
    const contextLabels = traces.reduce<Trace['contextLabels']>(
      (all, one) => mergeLabels(all, one.contextLabels),
      undefined,
    );
    return { ...(sources.length > 0 && { sources }), ...(contextLabels && { contextLabels }) };
  };
}

function checkTrace(traced: unknown): Trace {
  if (traced === undefined) return {};
  const parsed = traceSchema.safeParse(traced);
  if (parsed.success) return parsed.data;
  throw new Error('it must return undefined, or { sources, contextLabels }');
}

/** Undefined if the call may go on. */
function toFailure(
  hook: 'trace' | 'review',
  active: ActivePlugin,
  cause: unknown,
  fields: { readonly callId: string },
): ToolwharfError | undefined {
  const failure = active.fail(hook, cause, fields);
  if (active.mode === 'shadow' || active.onFailure === 'allow') return undefined;
  const message = `${failure}. The call was not made; correct or remove the plugin`;
  return new ToolwharfError('POLICY_FAILED', message, { cause, data: { plugin: active.plugin.name } });
}

/** One question with the reasons and rules of all: a person answers for each of them. */
function mergeQuestions(questions: readonly Objection[]): Objection | undefined {
  const [first, ...others] = questions;
  if (!first || others.length === 0) return first;
  const rules = questions.flatMap((question) => question.rules ?? []);
  const flows = questions.flatMap((question) => question.flows ?? []);
  const reason = questions
    .map((question) => question.reason)
    .join('; ')
    .slice(0, maxReasonLength);
  return { ...first, reason, ...(rules.length > 0 && { rules }), ...(flows.length > 0 && { flows }) };
}

export function toObjection(by: string, verdict: ReviewVerdict | undefined): Objection | undefined {
  if (verdict === undefined || (isObject(verdict) && verdict.kind === 'allow')) return undefined;
  if (isObject(verdict) && (verdict.kind === 'ask' || verdict.kind === 'deny') && typeof verdict.reason === 'string')
    return {
      kind: verdict.kind,
      reason: verdict.reason.slice(0, maxReasonLength),
      by,
      ...(verdict.limit !== undefined && { limit: checkLimit(verdict.limit) }),
      ...objecting(verdict.kind, verdict),
      ...(verdict.kind === 'ask' && verdict.flows && { flows: flowsSchema.parse(verdict.flows) }),
    };
  throw new Error("it must return undefined, or { kind: 'ask' or 'deny', reason }");
}

function checkLimit(limit: unknown): ReachedLimit {
  if (isObject(limit) && typeof limit.limit === 'string') return limit as unknown as ReachedLimit;
  throw new Error('its limit must be { limit, … }');
}

/** The rules behind an objection: not those that only would have decided, or that decided less. */
function objecting(kind: Objection['kind'], verdict: ReviewVerdict): Pick<Objection, 'rules'> {
  const effects: readonly unknown[] = kind === 'deny' ? ['deny', 'hide'] : ['ask'];
  const rules = (rulesOf(verdict) ?? []).filter(({ mode, effect }) => mode === 'enforce' && effects.includes(effect));
  return rules.length > 0 ? { rules: rules.map(({ id }) => id) } : {};
}

const maxRules = 100;

/** The rules of a verdict. Throws unless they are a list of rules. */
export function rulesOf(verdict: ReviewVerdict | undefined): readonly DecidingRule[] | undefined {
  const rules: unknown = isObject(verdict) ? verdict.rules : undefined;
  if (rules === undefined || (Array.isArray(rules) && rules.length === 0)) return undefined;
  if (!Array.isArray(rules) || !rules.every(isRule))
    throw new Error('its rules must be a list of { id, effect, mode }, where id has at most 100 characters');
  return rules.slice(0, maxRules).map(({ id, effect, mode, failed, flow }: DecidingRule) => ({
    ...{ id, effect, mode },
    ...(failed === true && { failed }),
    ...(flow === true && { flow }),
  }));
}

const isRule = (rule: unknown) =>
  isObject(rule) &&
  typeof rule.id === 'string' &&
  rule.id.length <= 100 &&
  (rule.effect === 'allow' || (policyActions as readonly unknown[]).includes(rule.effect)) &&
  (pluginModes as readonly unknown[]).includes(rule.mode);
