import { abortable } from '../kernel/wait.ts';
import type { PluginContext } from './plugin.ts';

/** Runs a function of a plugin. Rejects if it throws or rejects, and at its time limit if it does not settle before. */
export async function runInTime<Value>(
  run: (context: PluginContext) => Value,
  timeoutMs: number,
): Promise<Awaited<Value>> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const running = (async () => await run({ signal: limit.signal }))();
  try {
    return await abortable(running, limit.signal);
  } finally {
    clearTimeout(timer);
  }
}
