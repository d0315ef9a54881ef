import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { guestPrelude } from './guest-prelude.ts';
import { createHostFunctions } from './host-functions.ts';
import { type MarkedScript, markPositions } from './mark-positions.ts';
import {
  type Burst,
  type SandboxCall,
  type SandboxProgram,
  type ScriptEnd,
  type ScriptError,
  type Settlement,
  scriptFile,
} from './protocol.ts';
import { findImport, findVariable, type Position, toFrame, toScriptSource } from './script-source.ts';
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
const maxTimers = 10_000;
/** The outcomes of a script that are kept to run it again. */
const maxHistoryLength = 16 * 1024 * 1024;

export function createGuest(quickJs: QuickJSWASMModule, program: SandboxProgram): Guest {
  return createRun(quickJs, program).guest;
}

/** A run of a script, which is repeated with marks if QuickJS does not know the position of its error. */
interface ScriptRun {
  readonly guest: Guest;
  /** The error of the script as QuickJS reports it, with the position in the script without marks. */
  readonly reported: () => ReportedError | undefined;
}

interface ReportedError {
  readonly message: string;
  readonly position: Position;
}

interface RepeatedRun {
  readonly withSpread: boolean;
  /** The processor time at which it is given up. */
  readonly until: number;
}

function createRun(quickJs: QuickJSWASMModule, program: SandboxProgram, repeated?: RepeatedRun): ScriptRun {
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
  let lastNumber = 0;
  let made = 0;
  let timers = 0;
  /** The numbers of the calls and timers that have no outcome. */
  const unsettled = new Set<number>();
  const source = toScriptSource(program.code);
  const askHost = createHostFunctions(program.randomSeed);
  let log = '';
  let isLogTruncated = false;
  let isBody = false;
  let marked: MarkedScript | undefined;
  let reported: ReportedError | undefined;
  /** The outcomes that the script got, in their order; undefined if they are too large. */
  let history: { readonly number: number; readonly settlement: Settlement }[] | undefined = repeated ? undefined : [];
  let historyLength = 0;
  const guest = definePrelude();
  /** Fulfilled with the JSON of the script's end. */
  let ending: QuickJSHandle | undefined;

  function definePrelude() {
    const send = context.newFunction('send', (kind, server, tool, args) => {
      const text = context.getString(args);
      const kindName = context.getString(kind);
      if (kindName === 'clear') {
        unsettled.delete(Number(text));
        return context.undefined;
      }
      const isTimer = kindName === 'sleep';
      if (isTimer && ++timers > maxTimers) throw context.newError(`A script may wait at most ${maxTimers} times`);
      if (!isTimer && made >= limits.maxCalls)
        throw context.newError(`A script may make at most ${limits.maxCalls} calls`);
      if (text.length > limits.maxValueBytes)
        throw context.newError(`Arguments must be smaller than ${limits.maxValueBytes} bytes`);
      if (!isTimer) made++;
      unsettled.add(++lastNumber);
      const [serverName, toolName] = [server, tool].map((handle) => context.getString(handle));
      const call = { number: lastNumber, kind: kindName, server: serverName, tool: toolName, args: JSON.parse(text) };
      calls.push(call as SandboxCall);
      return context.newNumber(lastNumber);
    });
    const print = context.newFunction('log', (text) => {
      const line = context.getString(text);
      const room = limits.maxLogBytes - log.length;
      isLogTruncated ||= line.length + 1 > room;
      log += `${line}\n`.slice(0, Math.max(0, room));
    });
    const ask = context.newFunction('ask', (question) => context.newString(askHost(context.getString(question))));
    computeUntil = usedMs() + limits.computeMs;
    const create = context.unwrapResult(context.evalCode(guestPrelude, 'prelude.js'));
    const values = [context.newNumber(program.seed), context.newNumber(program.time), context.newString(program.input)];
    const catalog = context.newString(JSON.stringify({ tools: program.tools }));
    const mark = context.newString(program.bigIntMark ?? 'bigint:');
    const created = context.unwrapResult(
      context.callFunction(create, context.undefined, send, print, ask, ...values, catalog, mark),
    );
    const [settle, finish, explain] = ['settle', 'finish', 'explain'].map((name) => context.getProp(created, name));
    return { settle, finish, explain } as Record<'settle' | 'finish' | 'explain', QuickJSHandle>;
  }

  /** The script as QuickJS can run it: as it is, without its types, or as the body of a function if it contains `return`. */
  function prepare(): { code: string; isCompletion: boolean } | { error: ScriptError } {
    const { code, result } = source;
    if (result !== undefined) return prepareModule(code, result);
    if (compiles(code, asyncScript)) return { code, isCompletion: true };
    const imported = findImport(code);
    if (imported) return { error: imported };
    const body = toBody(code);
    if (compiles(body, 0)) return { code: body, isCompletion: false };
    const stripped = stripTypes(code);
    if ('code' in stripped) return { code: stripped.code, isCompletion: true };
    const strippedBody = stripTypes(body);
    return 'code' in strippedBody ? { code: strippedBody.code, isCompletion: false } : stripped;
  }

  /** A script with a default export. Its result is that value, or what that function returns. */
  function prepareModule(
    code: string,
    result: string,
  ): { code: string; isCompletion: boolean } | { error: ScriptError } {
    const body = toBody(`${code}\n;return ${result}`);
    if (compiles(body, 0)) return { code: body, isCompletion: false };
    const imported = findImport(code);
    if (imported) return { error: imported };
    const stripped = stripTypes(body);
    return 'code' in stripped ? { code: stripped.code, isCompletion: false } : stripped;
  }

  function compiles(code: string, flags: number): boolean {
    const result = context.evalCode(code, scriptFile, flags | compileOnly);
    result.dispose();
    return !result.error;
  }

  function run(action: () => ScriptEnd | undefined): Burst {
    computeUntil = Math.min(usedMs() + limits.computeMs, repeated?.until ?? Number.POSITIVE_INFINITY);
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
    if (state.type === 'pending') return unsettled.size > 0 ? undefined : failed(waitsForNothing);
    if (state.type === 'rejected') return failed(outOfMemory(limits.memoryBytes));
    const { value, error } = JSON.parse(context.getString(state.value)) as { value?: string; error?: GuestError };
    if (error) return failed(locate(error));
    // The script has its result, but calls that it did not wait for still run.
    if (unsettled.size > 0) return undefined;
    if (value !== undefined && value.length > limits.maxValueBytes)
      return failed({ name: 'RangeError', message: `The result is larger than ${limits.maxValueBytes} bytes` });
    return { value, log, isLogTruncated, note: source.note };
  }

  function failed(error: ScriptError): ScriptEnd {
    return { error, log, isLogTruncated, note: source.note };
  }

  function explain(error: QuickJSHandle): ScriptError {
    if (isInterrupted) return computedTooLong(limits.computeMs);
    const result = context.callFunction(guest.explain, context.undefined, error);
    if (result.error) return outOfMemory(limits.memoryBytes);
    return locate(JSON.parse(context.getString(result.value)).error);
  }

  /** The error with its position in the code of the model. */
  function locate({ name, message: reason, code, stack = '' }: GuestError): ScriptError {
    const [, missing = ''] = /^'?([\w$]+)'? is not (?:defined|initialized)$/.exec(reason) ?? [];
    const hint = missingGlobals.get(missing);
    const message = hint === undefined ? reason : `${reason}: ${hint}`;
    const [, line, column = '1'] = new RegExp(`${scriptFile}:(\\d+)(?::(\\d+))?`).exec(stack) ?? [];
    if (line === undefined) return { name, message, code };
    const at = toSourcePosition({ line: Number(line), column: Number(column) });
    reported = { message: reason, position: at };
    if (repeated) return { name, message };
    // A function of QuickJS on top was called there, as a value that is no function was: that position is exact.
    const isExact = !/^\s*at [^\n]*script\.ts:/.test(stack) || reason === 'not a function' || !engineErrors.has(name);
    const exact = isExact ? at : (repeat(reason) ?? at);
    const position = missing === '' ? exact : (findVariable(source.code, missing, exact) ?? exact);
    return {
      ...{ name, message, code, position: `line ${position.line}, column ${position.column}` },
      frame: toFrame(source.code, position.line),
    };
  }

  function toSourcePosition(position: Position): Position {
    const { line, column } = marked?.toOriginal(position) ?? position;
    const inserted = isBody && line === 1 ? bodyStart.length : 0;
    return { line, column: Math.max(1, column - inserted) };
  }

  /** The position of the error in a run with marks that gets the same outcomes; undefined if that run ends otherwise. */
  function repeat(message: string): Position | undefined {
    const until = usedMs() + limits.computeMs;
    for (const withSpread of [true, false]) {
      if (!history) return undefined;
      const again = createRun(quickJs, program, { withSpread, until });
      let { end } = again.guest.start();
      for (const { number, settlement } of history) {
        if (end) break;
        ({ end } = again.guest.settle(number, settlement));
      }
      const error = again.reported();
      if (error?.message === message) return error.position;
    }
    return undefined;
  }

  function remember(number: number, settlement: Settlement, text: string): void {
    historyLength += text.length;
    if (historyLength > maxHistoryLength) history = undefined;
    history?.push({ number, settlement });
  }

  const start = () =>
    run(() => {
      const prepared = prepare();
      if ('error' in prepared) return failed(prepared.error);
      const { isCompletion } = prepared;
      isBody = !isCompletion;
      marked = repeated && markPositions(prepared.code, repeated);
      const { code } = marked ?? prepared;
      const result = context.evalCode(code, scriptFile, isCompletion ? asyncScript : 0);
      if (result.error) return failed(explain(result.error));
      const flag = isCompletion ? context.true : context.false;
      const finishing = context.callFunction(guest.finish, context.undefined, result.value, flag);
      if (finishing.error) return failed(explain(finishing.error));
      ending = finishing.value;
      return undefined;
    });

  const settle = (number: number, settlement: Settlement) =>
    run(() => {
      unsettled.delete(number);
      const text = JSON.stringify(settlement.ok ? (settlement.value ?? null) : settlement.error);
      remember(number, settlement, text);
      const args = [context.newNumber(number), settlement.ok ? context.true : context.false];
      const rest = [context.newString(text), context.newNumber(settlement.time)];
      const result = context.callFunction(guest.settle, context.undefined, ...args, ...rest);
      return result.error ? failed(explain(result.error)) : undefined;
    });

  return { guest: { start, settle }, reported: () => reported };
}

/** Errors that QuickJS throws where it does not know the position. */
const engineErrors = new Set(['TypeError', 'ReferenceError']);

/** Processor time, so that other processes do not count. QuickJS asks for it once in many steps. */
export function usedMs(): number {
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

const callTools = 'Call a tool with tools.SERVER.TOOL({ ... })';

/** What scripts look for and do not have, with a sentence for each. */
const missingGlobals: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [`there are no modules. ${callTools}`]:
      'require module exports process Buffer fs path os Deno Bun __dirname __filename',
    [`there is no network. ${callTools}`]:
      'fetch XMLHttpRequest WebSocket EventSource axios Headers Request Response FormData',
    'a script cannot cancel its calls. To wait at most some time, use Promise.race with sleep(ms)':
      'AbortController AbortSignal',
    'there is no page and no storage. Return what the answer needs':
      'window document localStorage sessionStorage alert',
    'a script runs in one thread. Use Promise.all for independent calls': 'Worker SharedArrayBuffer Atomics',
    'a script does not see when memory is collected': 'WeakRef FinalizationRegistry',
    'there are no events. Use functions and promises': 'EventTarget Event EventEmitter',
    'there are no streams and files. Use texts and Uint8Array': 'Blob File ReadableStream WritableStream',
  }).flatMap(([hint, names]) => names.split(' ').map((name) => [name, hint] as const)),
);

const bodyStart = '(async () => {';

/** On one line with the code, so that line numbers stay the same. */
function toBody(code: string): string {
  return `${bodyStart}${code}\n})()`;
}
