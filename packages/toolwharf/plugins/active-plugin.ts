import { messageOf } from '../../contract/errors.ts';
import type { PluginSettings } from '../../contract/settings/plugin-config.ts';
import { LightAbort } from '../kernel/abort-source.ts';
import type { Log, LogFields } from '../kernel/log.ts';
import { abortable } from '../kernel/wait.ts';
import type { Plugin, PluginContext, PluginPolicy, PluginRecords, ReadHistory, ReviewVerdict } from './plugin.ts';

/** The functions of a plugin whose time is measured, in the order in which they run. */
export const hookNames = [
  'list',
  'secrets',
  'launch',
  'change',
  'trace',
  'review',
  'reserve',
  'redactor',
  'approver',
  'allowFlow',
  'notify',
  'result',
  'exporter',
  'routes',
] as const;
export type HookName = (typeof hookNames)[number];

/** How often a hook ran, and for how long. */
export interface HookCounts {
  readonly hook: HookName;
  runs: number;
  totalMs: number;
  /** Runs that threw, took too long or returned something else. */
  failures: number;
  /** Runs in shadow mode that would have had an effect. */
  shadowed: number;
}

/** A plugin in use, with the settings of the operator. */
export interface ActivePlugin extends Required<Pick<PluginSettings, 'mode' | 'onFailure'>> {
  readonly plugin: Plugin;
  readonly counts: ReadonlyMap<HookName, HookCounts>;
  /** The function that reviews, under its name in either version of plugins. */
  readonly review: Plugin['review'];
  /** The parsed options. */
  readonly settings: unknown;
  readonly records: PluginContext['records'];
  readonly history: ReadHistory;
  /** Runs a hook within its time limit. Rejects if the hook fails. */
  run<Value>(hook: HookName, run: (context: PluginContext) => Value): Promise<Awaited<Value>>;
  /** Runs a hook that answers at once. */
  runNow<Value>(hook: HookName, run: (context: Pick<PluginContext, 'settings'>) => Value): Value;
  /** Counts and logs a failure. Returns its message. */
  fail(hook: HookName, cause: unknown, fields?: LogFields): string;
  /** True if the plugin is in shadow mode: then what it would have done is counted and logged. */
  shadows(hook: HookName, effect: string, fields?: LogFields): boolean;
}

const none: Readonly<Record<string, PluginRecords>> = Object.freeze({});
const timeoutMs = 5_000;
const slowTimeoutMs = 30_000;
/** Notices and exports go over the network, and no call waits for them. Large results take long to redact, in turns. */
const slowHooks: ReadonlySet<HookName> = new Set(['notify', 'exporter', 'redactor']);

export function activatePlugin(
  plugin: Plugin,
  use: PluginSettings,
  settings: unknown,
  log: Log,
  records: PluginContext['records'] = none,
  history: ReadHistory = async () => ({ calls: [], isCut: false }),
): ActivePlugin {
  const { name } = plugin;
  const { mode = 'enforce', onFailure = 'deny' } = use;
  const counts = new Map<HookName, HookCounts>();

  function countsOf(hook: HookName): HookCounts {
    const known = counts.get(hook) ?? { hook, runs: 0, totalMs: 0, failures: 0, shadowed: 0 };
    counts.set(hook, known);
    return known;
  }

  function measure(hook: HookName, since: number): void {
    const counted = countsOf(hook);
    counted.runs++;
    counted.totalMs += performance.now() - since;
  }

  return {
    plugin,
    counts,
    settings,
    records,
    history,
    mode,
    onFailure,
    review: plugin.review?.bind(plugin) ?? (plugin.policy && adaptPolicy(plugin.policy)),
    async run<Value>(hook: HookName, run: (context: PluginContext) => Value): Promise<Awaited<Value>> {
      const since = performance.now();
      const limitMs = use.timeoutMs ?? (slowHooks.has(hook) ? slowTimeoutMs : timeoutMs);
      try {
        return await runInTime((limit) => run(new HookContext(settings, records, history, limit)), limitMs);
      } catch (cause) {
        // The queue of the exporter logs the failure.
        if (hook === 'exporter') countsOf(hook).failures++;
        throw cause;
      } finally {
        measure(hook, since);
      }
    },
    runNow(hook, run) {
      const since = performance.now();
      try {
        return run({ settings });
      } finally {
        measure(hook, since);
      }
    },
    fail(hook, cause, fields) {
      countsOf(hook).failures++;
      const part = hook === 'review' ? 'policy' : hook === 'approver' ? hook : `${hook} hook`;
      const message = `The ${part} of plugin '${name}' failed: ${messageOf(cause)}`;
      const details = { plugin: name, ...fields };
      if (hook === 'review') log.error('plugin.policy-failed', message, details);
      else if (hook === 'approver') log.error('plugin.approver-failed', message, details);
      else log.error('plugin.hook-failed', message, { ...details, hook });
      return message;
    },
    shadows(hook, effect, fields) {
      if (mode !== 'shadow') return false;
      countsOf(hook).shadowed++;
      log.info('plugin.shadowed', `Plugin '${name}' would have ${effect}`, { plugin: name, hook, ...fields });
      return true;
    },
  };
}

/** Creates its signal when the hook reads it: most hooks never do. */
class HookContext implements PluginContext {
  readonly settings: unknown;
  readonly records: PluginContext['records'];
  readonly history: ReadHistory;
  readonly #limit: LightAbort;

  constructor(settings: unknown, records: PluginContext['records'], history: ReadHistory, limit: LightAbort) {
    this.settings = settings;
    this.records = records;
    this.history = history;
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }
}

/** Runs a function of a plugin. Rejects if it throws or rejects, and at its time limit if it does not settle before. */
export async function runInTime<Value>(run: (limit: LightAbort) => Value, limitMs: number): Promise<Awaited<Value>> {
  const limit = new LightAbort();
  const value = run(limit);
  if (!isPromise(value)) return value as Awaited<Value>;
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${limitMs} ms`)), limitMs);
  try {
    return (await abortable(Promise.resolve(value), limit)) as Awaited<Value>;
  } finally {
    clearTimeout(timer);
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** A policy of the first version is a review that only objects. */
function adaptPolicy(policy: PluginPolicy): Plugin['review'] {
  return async (call, context): Promise<ReviewVerdict | undefined> => {
    // The copies of the first version could be changed.
    const verdict = (await policy(structuredClone(call), context)) as ReviewVerdict | undefined;
    if (verdict?.kind === 'allow') throw new Error("it must return undefined, or { kind: 'ask' or 'deny', reason }");
    return verdict;
  };
}
