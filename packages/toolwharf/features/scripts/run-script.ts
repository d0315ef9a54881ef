import { isObject, type JsonObject } from '../../../contract/json.ts';
import { parseExactly, restate } from '../../kernel/exact-json.ts';
import type { Burst, SandboxProgram, ScriptEnd, Settlement } from './sandbox/protocol.ts';
import type { ScriptSteps } from './script-steps.ts';

/** A process that runs one script. Disposing ends it at once, whatever the script does. */
export interface Sandbox extends Disposable {
  start(program: SandboxProgram): Promise<Burst>;
  /** Gives the script the outcome of one of its calls, and runs it until it can only wait again. */
  settle(number: number, settlement: Settlement): Promise<Burst>;
}

export interface RunScriptPorts {
  readonly openSandbox: (signal: AbortSignal) => Promise<Sandbox>;
  readonly steps: ScriptSteps;
  readonly signal: AbortSignal;
  /** The script waits for a person until the returned object is disposed. */
  readonly onPause: () => Disposable;
}

/**
 * Runs a script to its end. While all its calls wait for a person or call other tools, the script gives its sandbox to others.
 * When one of the calls ends, the script runs again from its first line, with the outcomes that are known.
 */
export async function runScript(
  program: SandboxProgram,
  { openSandbox, steps, signal, onPause }: RunScriptPorts,
): Promise<ScriptEnd> {
  for (;;) {
    const end = await runUntilPaused();
    if (end) return end;
    using _pause = steps.isAsking ? onPause() : undefined;
    await steps.someEnded(signal);
  }

  async function runUntilPaused(): Promise<ScriptEnd | undefined> {
    using sandbox = await openSandbox(signal);
    const stop = () => sandbox[Symbol.dispose]();
    signal.addEventListener('abort', stop, { once: true });
    try {
      steps.rewind();
      let burst: Burst = await sandbox.start(program);
      for (;;) {
        for (const call of burst.calls) steps.make(call);
        if (burst.end) return burst.end;
        const next = await steps.next(signal);
        if (next === 'paused') return undefined;
        burst = await sandbox.settle(next.number, next.settlement);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** The result of a script that is a tool: its value, as structured content if that is an object. */
export function toToolResult(end: ScriptEnd, steps: Pick<ScriptSteps, 'made' | 'failed'>): JsonObject {
  if (end.error) return toScriptResult(end, steps);
  const value = end.value === undefined ? '' : parseExactly(end.value);
  const text = typeof value === 'string' ? value : String(end.value);
  return restate({ content: [{ type: 'text', text }], ...(isObject(value) && { structuredContent: value }) });
}

/** The result of a script as a tool result. */
export function toScriptResult(
  { value, error, log, isLogTruncated, note }: ScriptEnd,
  steps: Pick<ScriptSteps, 'made' | 'failed'>,
): JsonObject {
  const calls = { made: steps.made, failed: steps.failed };
  const shownLog = log === '' ? undefined : isLogTruncated ? `${log}…` : log;
  const notes = [shownLog && `Log:\n${shownLog}`, note].filter((text) => text !== undefined);
  const noteBlocks = notes.map((text) => ({ type: 'text', text }));
  if (error) {
    const { name, message, position, frame } = error;
    const where = position === undefined ? '' : ` (${position})`;
    const code = frame === undefined ? '' : `\n${frame}`;
    const text = `${name}: ${message}${where}${code}\nCalls that the script made: ${calls.made}, of which failed: ${calls.failed}`;
    return {
      isError: true,
      content: [{ type: 'text', text }, ...noteBlocks],
      structuredContent: { error, log: shownLog, note, calls },
    };
  }
  const result = value === undefined ? undefined : parseExactly(value);
  const text = typeof result === 'string' ? result : (value ?? 'The script has no result');
  return restate({
    content: [{ type: 'text', text }, ...noteBlocks],
    structuredContent: { result, log: shownLog, note, calls },
  });
}
