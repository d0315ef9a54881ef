import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { exactly, restate } from '../kernel/exact-json.ts';
import type { ChangeArguments, Changed, ChangeResult, PluginCall } from '../policy/review.ts';
import type { ActivePlugin } from './active-plugin.ts';
import { copyJson, labelsOf, mergeLabels, toReturnedObject } from './copies.ts';

/** What a hook decided: a new value, or the reason why there is none for the caller. */
interface Verdict {
  readonly value?: JsonObject;
  readonly blocked?: string;
  readonly labels?: readonly string[];
}

interface Chain {
  readonly hook: 'change' | 'result';
  /** What is changed, in messages. */
  readonly what: string;
  readonly ask: (active: ActivePlugin, call: PluginCall, value: JsonObject) => Promise<Verdict>;
  readonly toError: (message: string, cause: unknown, plugin: string) => ToolwharfError;
}

/** Lets plugins change the arguments of calls, one after the other. Undefined if no plugin does. */
export function createChangeArguments(plugins: readonly ActivePlugin[]): ChangeArguments | undefined {
  const changers = plugins.filter(({ plugin }) => plugin.change);
  if (changers.length === 0) return undefined;
  const run = createChain(changers, {
    hook: 'change',
    what: 'the arguments',
    async ask(active, call, value) {
      const changed = await active.run('change', (context) =>
        active.plugin.change?.(copyJson({ ...call, arguments: value }), context),
      );
      if (changed === undefined) return {};
      if (!isObject(changed)) throw new Error('it must return undefined, or { arguments }');
      return { value: toReturnedObject(changed.arguments, 'its arguments'), labels: labelsOf(changed) };
    },
    toError: (message, cause, plugin) =>
      new ToolwharfError('POLICY_FAILED', `${message}. The call was not made; correct or remove the plugin`, {
        cause,
        data: { plugin },
      }),
  });
  return (call) => run(call, call.arguments);
}

/** Lets plugins pass, change or block the results of calls, one after the other. Undefined if no plugin does. */
export function createChangeResult(plugins: readonly ActivePlugin[]): ChangeResult | undefined {
  const changers = plugins.filter(({ plugin }) => plugin.result);
  if (changers.length === 0) return undefined;
  return createChain(changers, {
    hook: 'result',
    what: 'the result',
    async ask(active, call, value) {
      if (active.plugin.needsResult?.(call, value.isError === true) === false) return {};
      const verdict = await active.run('result', (context) =>
        active.plugin.result?.(copyJson(call), copyJson(exactly(value)), context),
      );
      if (verdict === undefined) return {};
      const labels = labelsOf(verdict);
      if (isObject(verdict) && verdict.kind === 'pass') return { labels };
      if (isObject(verdict) && verdict.kind === 'change')
        return { value: restate(toReturnedObject(verdict.result, 'its result')), labels };
      if (isObject(verdict) && verdict.kind === 'block' && typeof verdict.reason === 'string')
        return { blocked: verdict.reason.slice(0, 1_000), labels };
      throw new Error("it must return undefined, or { kind: 'pass', 'change' or 'block' }");
    },
    toError: (message, cause, plugin) =>
      new ToolwharfError('RESULT_BLOCKED', `${message}. The tool has run, and its result is withheld`, {
        cause,
        data: { plugin },
      }),
  });
}

function createChain(changers: readonly ActivePlugin[], { hook, what, ask, toError }: Chain) {
  return async (call: PluginCall, original: JsonObject): Promise<Changed> => {
    let value = original;
    let labels: readonly string[] | undefined;
    const by: string[] = [];
    const fields = { callId: call.id };
    for (const active of changers) {
      const { name } = active.plugin;
      let verdict: Verdict;
      try {
        verdict = await ask(active, { ...call, labels: mergeLabels(call.labels, labels) }, value);
      } catch (cause) {
        const message = active.fail(hook, cause, fields);
        if (active.mode === 'shadow' || active.onFailure === 'allow') continue;
        throw toError(message, cause, name);
      }
      const { value: changed, blocked } = verdict;
      const effect = blocked === undefined ? 'changed' : 'blocked';
      const hasEffect = changed !== undefined || blocked !== undefined;
      if (hasEffect && active.shadows(hook, `${effect} ${what} of ${call.tool}`, fields)) continue;
      if (active.mode === 'shadow') continue;
      labels = mergeLabels(labels, verdict.labels);
      if (blocked !== undefined) {
        const message = `The result of ${call.tool} was blocked: ${blocked}`;
        throw new ToolwharfError('RESULT_BLOCKED', message, { data: { plugin: name } });
      }
      if (changed === undefined) continue;
      value = changed;
      by.push(name);
    }
    return { value, by: by.length > 0 ? by : undefined, labels };
  };
}
