import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { isObject, type JsonObject } from '../../../../contract/json.ts';
import { toProgramValue } from '../../../kernel/decimal.ts';
import { isRawNumber, parseExactly } from '../../../kernel/exact-json.ts';
import { findPackage } from '../../../kernel/find-package.ts';
import { findProgram } from '../../find-program.ts';
import type { Sandbox } from '../run-script.ts';
import type { Burst, SandboxRequest } from '../sandbox/protocol.ts';
import { processorTimeOf } from './processor-time.ts';

export interface SandboxProcess extends Sandbox {
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

/** A burst is at most the arguments of all calls, the result and the log. A longer line is an attack. */
const maxLineLength = 64 * 1024 * 1024;
const maxHeapMegabytes = 256;
/** Processor time may pass much slower than time. */
const watchdogFactor = 4;

/** Starts a sandbox. Its process has an empty environment and may read nothing but its own program. */
export function openSandbox(program = findSandbox(), measure = processorTimeOf): SandboxProcess {
  const child = spawn(process.execPath, [...permissions(program), program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // The same time zone on every machine, so that a script does the same when it is replayed elsewhere.
    env: { TZ: 'UTC' },
    cwd: dirname(program),
    windowsHide: true,
  });
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let waiting: PromiseWithResolvers<Burst> | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let maxMs = 0;
  /** The processor time of the process when it last sent a message. */
  let usedMs = 0;
  let failure: ToolwharfError | undefined;
  /** It has said that it is ready, once. */
  let isStarted = false;
  ready.promise.catch(() => {});

  function fail(message: string): void {
    failure ??= new ToolwharfError('TOOL_FAILED', message);
    clearTimeout(watchdog);
    child.kill('SIGKILL');
    ready.reject(failure);
    waiting?.reject(failure);
    waiting = undefined;
  }

  function receive(line: string): void {
    clearTimeout(watchdog);
    const message = parseMessage(line);
    if (!message) fail('The sandbox sent something else than a message');
    else if (isStarted !== Array.isArray(message.calls)) fail('The sandbox sent another message than the expected one');
    else {
      usedMs = Number(message.usedMs) || 0;
      if (isStarted) waiting?.resolve(message as unknown as Burst);
      else ready.resolve();
      isStarted = true;
    }
    waiting = undefined;
  }

  readLines(child, receive, () => fail('The sandbox sent more than it may'));
  child.stdin?.on('error', () => {});
  child.on('error', (cause) => fail(`The sandbox could not be started: ${cause.message}`));
  child.on('exit', () => {
    fail('The process of the sandbox ended');
    ended.resolve();
  });

  /**
   * The sandbox limits the script's processor time itself, but not while QuickJS runs a single long operation. Time in which the
   * process got no processor, or this one did not read its answer, does not count.
   */
  function watch(request: PromiseWithResolvers<Burst>): void {
    watchdog = setTimeout(async () => {
      const now = child.pid === undefined ? undefined : await measure(child.pid);
      // An answer that has arrived is read first.
      setImmediate(() => {
        if (waiting !== request) return;
        const limitMs = maxMs / watchdogFactor;
        if (now === undefined) fail(`The script did not answer for ${maxMs} ms`);
        else if (now - usedMs < limitMs) watch(request);
        else fail(`The script computed for more than ${limitMs} ms without waiting for a call`);
      });
    }, maxMs);
  }

  async function request(message: SandboxRequest): Promise<Burst> {
    await ready.promise;
    if (failure) throw failure;
    const request = Promise.withResolvers<Burst>();
    waiting = request;
    watch(request);
    child.stdin?.write(`${toMarkedText(message)}\n`);
    return request.promise;
  }

  return {
    start(program) {
      maxMs = program.limits.computeMs * watchdogFactor;
      const input = toMarkedText(parseExactly(program.input));
      return request({ type: 'start', ...program, input, bigIntMark });
    },
    settle: (number, settlement) => request({ type: 'settle', number, ...settlement }),
    ended: ended.promise,
    [Symbol.dispose]: () => fail('The sandbox was closed'),
  };
}

function parseMessage(line: string): JsonObject | undefined {
  try {
    const message = parseExactly(withoutMarks(line));
    if (!isObject(message) || !isObject(message.end) || typeof message.end.value !== 'string')
      return isObject(message) ? message : undefined;
    return { ...message, end: { ...message.end, value: withoutMarks(message.end.value) } };
  } catch {
    return undefined;
  }
}

/** Before the digits of a BigInt, as a text, on the way to and from a script. No server can know it. */
const bigIntMark = `bigint ${randomUUID()} `;
const marked = new RegExp(`"${bigIntMark}(-?\\d+)"`, 'g');

/** A value as JSON for a script, which has BigInts for the integers that numbers cannot hold. */
function toMarkedText(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    const number = isRawNumber(member) ? toProgramValue(member) : member;
    return typeof number === 'bigint' || isLargeInteger(number) ? `${bigIntMark}${number}` : number;
  });
}

/** An integer beyond 2^53 that a number happens to hold: a BigInt too, so that the type does not depend on the digits. */
function isLargeInteger(value: unknown): value is number {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value));
}

function withoutMarks(json: string): string {
  return json.replaceAll(marked, '$1');
}

function findSandbox(): string {
  return findProgram({
    moduleUrl: import.meta.url,
    modulePattern: /\/scripts\/process\/sandbox\.(ts|js)$/,
    path: '../sandbox/sandbox-main',
    bundledPath: './sandbox.js',
    entry: 'toolwharf/code',
  });
}

const quickJsPackages = ['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'] as const;

/** Throws if the packages that run scripts are not installed, or if the runtime cannot restrict the process of a script. */
export function assertCanRunScripts(versions: Readonly<Record<string, string | undefined>> = process.versions): void {
  const runtime = ['bun', 'deno'].find((name) => versions[name] !== undefined);
  if (runtime !== undefined) {
    const message = `Scripts run in Node.js only: ${runtime} ignores the permissions of their processes`;
    throw new ToolwharfError('CONFIG_INVALID', message);
  }
  const program = findSandbox();
  for (const name of quickJsPackages) findQuickJs(name, program);
}

function permissions(program: string): string[] {
  const [core = '', variant = ''] = quickJsPackages.map((name) => findQuickJs(name, program));
  const packages = [core, variant, findQuickJs('@jitl/quickjs-ffi-types', join(core, 'package.json'))];
  return [
    '--permission',
    ...[realpathSync(dirname(program)), ...packages].map((path) => `--allow-fs-read=${path}`),
    '--no-warnings',
    `--max-old-space-size=${maxHeapMegabytes}`,
  ];
}

function findQuickJs(name: string, importer: string): string {
  const directory = findPackage(name, importer);
  if (directory !== undefined) return directory;
  const names = quickJsPackages.join(' ');
  throw new ToolwharfError('CONFIG_INVALID', `Scripts need packages that are not installed: npm install ${names}`);
}

function readLines({ stdout }: ChildProcess, onLine: (line: string) => void, onTooLong: () => void): void {
  if (!stdout) return;
  let length = 0;
  stdout.on('data', (chunk: Buffer) => {
    const lastBreak = chunk.lastIndexOf(10);
    length = lastBreak < 0 ? length + chunk.length : chunk.length - lastBreak;
    if (length > maxLineLength) onTooLong();
  });
  createInterface({ input: stdout }).on('line', onLine);
}
