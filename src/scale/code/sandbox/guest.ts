import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { guestPrelude } from './guest-prelude.ts';
import {
  type Burst,
  type SandboxCall,
  type SandboxProgram,
  type ScriptEnd,
  type ScriptError,
  type Settlement,
  scriptFile,
} from './protocol.ts';
import { stripTypes } from './strip-types.ts';

/** A script in QuickJS. It runs while one of these functions runs, and at no other time. */
export interface Guest {
  start(): Burst;
  settle(number: number, settlement: Settlement): Burst;
}

/** QuickJS allows `await` at the top level and returns a promise of `{ value }`. */
const asyncScript = 1 << 7;
const compileOnly = 1 << 5;
const maxStackBytes = 256 * 1024;

export function createGuest(quickJs: QuickJSWASMModule, program: SandboxProgram): Guest {
  const { limits } = program;
  const runtime: QuickJSRuntime = quickJs.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(maxStackBytes);
  let computeUntil = 0;
  let isInterrupted = false;
  runtime.setInterruptHandler(() => {
    isInterrupted ||= usedMs() > computeUntil;
    return isInterrupted;
  });
  const context: QuickJSContext = runtime.newContext();
  let calls: SandboxCall[] = [];
  let made = 0;
  let unsettled = 0;
  let log = '';
  let isLogTruncated = false;
  const guest = definePrelude();
  /** Fulfilled with the JSON of the script's end. */
  let ending: QuickJSHandle | undefined;

  function definePrelude() {
    const send = context.newFunction('send', (kind, server, tool, args) => {
      if (made >= limits.maxCalls) throw context.newError(`A script may make at most ${limits.maxCalls} calls`);
      const text = context.getString(args);
      if (text.length > limits.maxValueBytes)
        throw context.newError(`Arguments must be smaller than ${limits.maxValueBytes} bytes`);
      made++;
      unsettled++;
      const [kindName, serverName, toolName] = [kind, server, tool].map((handle) => context.getString(handle));
      const call = { number: made, kind: kindName, server: serverName, tool: toolName, args: JSON.parse(text) };
      calls.push(call as SandboxCall);
      return context.newNumber(made);
    });
    const print = context.newFunction('log', (text) => {
      const line = context.getString(text);
      const room = limits.maxLogBytes - log.length;
      isLogTruncated ||= line.length + 1 > room;
      log += `${line}\n`.slice(0, Math.max(0, room));
    });
    computeUntil = usedMs() + limits.computeMs;
    const create = context.unwrapResult(context.evalCode(guestPrelude, 'prelude.js'));
    const values = [context.newNumber(program.seed), context.newNumber(program.time), context.newString(program.input)];
    const created = context.unwrapResult(context.callFunction(create, context.undefined, send, print, ...values));
    const [settle, finish, explain] = ['settle', 'finish', 'explain'].map((name) => context.getProp(created, name));
    return { settle, finish, explain } as Record<'settle' | 'finish' | 'explain', QuickJSHandle>;
  }

  /** The script as QuickJS can run it: as it is, without its types, or as the body of a function if it contains `return`. */
  function prepare(): { code: string; isCompletion: boolean } | { error: ScriptError } {
    if (compiles(program.code, asyncScript)) return { code: program.code, isCompletion: true };
    const body = toBody(program.code);
    if (compiles(body, 0)) return { code: body, isCompletion: false };
    const stripped = stripTypes(program.code);
    if ('code' in stripped) return { code: stripped.code, isCompletion: true };
    const strippedBody = stripTypes(body);
    return 'code' in strippedBody ? { code: strippedBody.code, isCompletion: false } : stripped;
  }

  function compiles(code: string, flags: number): boolean {
    const result = context.evalCode(code, scriptFile, flags | compileOnly);
    result.dispose();
    return !result.error;
  }

  function run(action: () => ScriptEnd | undefined): Burst {
    computeUntil = usedMs() + limits.computeMs;
    calls = [];
    const early = action();
    if (early) return { calls: [], end: early };
    while (runtime.hasPendingJob() && !isInterrupted) runtime.executePendingJobs().dispose();
    if (isInterrupted) return { calls: [], end: failed(computedTooLong(limits.computeMs)) };
    return { calls, end: readEnd() };
  }

  function readEnd(): ScriptEnd | undefined {
    if (!ending) return failed({ name: 'InternalError', message: 'The script could not be started' });
    const state = context.getPromiseState(ending);
    if (state.type === 'pending') return unsettled > 0 ? undefined : failed(waitsForNothing);
    if (state.type === 'rejected') return failed(outOfMemory(limits.memoryBytes));
    const { value, error } = JSON.parse(context.getString(state.value)) as { value?: string; error?: GuestError };
    if (error) return failed(toScriptError(error));
    // The script has its result, but calls that it did not wait for still run.
    if (unsettled > 0) return undefined;
    if (value !== undefined && value.length > limits.maxValueBytes)
      return failed({ name: 'RangeError', message: `The result is larger than ${limits.maxValueBytes} bytes` });
    return { value, log, isLogTruncated };
  }

  function failed(error: ScriptError): ScriptEnd {
    return { error, log, isLogTruncated };
  }

  function explain(error: QuickJSHandle): ScriptError {
    if (isInterrupted) return computedTooLong(limits.computeMs);
    const result = context.callFunction(guest.explain, context.undefined, error);
    if (result.error) return outOfMemory(limits.memoryBytes);
    return toScriptError(JSON.parse(context.getString(result.value)).error);
  }

  return {
    start: () =>
      run(() => {
        const prepared = prepare();
        if ('error' in prepared) return failed(prepared.error);
        const { code, isCompletion } = prepared;
        const result = context.evalCode(code, scriptFile, isCompletion ? asyncScript : 0);
        if (result.error) return failed(explain(result.error));
        const flag = isCompletion ? context.true : context.false;
        const finishing = context.callFunction(guest.finish, context.undefined, result.value, flag);
        if (finishing.error) return failed(explain(finishing.error));
        ending = finishing.value;
        return undefined;
      }),
    settle: (number, settlement) =>
      run(() => {
        unsettled--;
        const text = JSON.stringify(settlement.ok ? (settlement.value ?? null) : settlement.error);
        const args = [context.newNumber(number), settlement.ok ? context.true : context.false];
        const rest = [context.newString(text), context.newNumber(settlement.time)];
        const result = context.callFunction(guest.settle, context.undefined, ...args, ...rest);
        return result.error ? failed(explain(result.error)) : undefined;
      }),
  };
}

/** Processor time, so that other processes do not count. QuickJS asks for it once in many steps. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

interface GuestError extends ScriptError {
  readonly stack?: string;
}

const waitsForNothing: ScriptError = {
  name: 'Error',
  message: 'The script waits for a promise that nothing will resolve',
};

export function computedTooLong(ms: number): ScriptError {
  return { name: 'Error', message: `The script computed for more than ${ms} ms without waiting for a call` };
}

function outOfMemory(bytes: number): ScriptError {
  return { name: 'Error', message: `The script needs more than ${bytes} bytes of memory` };
}

function toScriptError({ name, message, code, stack = '' }: GuestError): ScriptError {
  const [, line, column] = new RegExp(`${scriptFile}:(\\d+)(?::(\\d+))?`).exec(stack) ?? [];
  const position = line && (column ? `line ${line}, column ${column}` : `line ${line}`);
  return { name, message, code, position };
}

/** On one line with the code, so that line numbers stay the same. */
function toBody(code: string): string {
  return `(async () => {${code}\n})()`;
}
