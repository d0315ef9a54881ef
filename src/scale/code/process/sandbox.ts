import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ToolwharfError } from '../../../kernel/errors.ts';
import type { Sandbox } from '../run-script.ts';
import type { Burst, SandboxRequest } from '../sandbox/protocol.ts';

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
export function openSandbox(): SandboxProcess {
  const program = findProgram();
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
  let failure: ToolwharfError | undefined;
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
    const message = JSON.parse(line);
    if (message.ready) ready.resolve();
    else waiting?.resolve(message);
    waiting = undefined;
  }

  readLines(child, receive, () => fail('The sandbox sent more than it may'));
  child.stdin?.on('error', () => {});
  child.on('error', (cause) => fail(`The sandbox could not be started: ${cause.message}`));
  child.on('exit', () => {
    fail('The process of the sandbox ended');
    ended.resolve();
  });

  async function request(message: SandboxRequest): Promise<Burst> {
    await ready.promise;
    if (failure) throw failure;
    waiting = Promise.withResolvers<Burst>();
    // The sandbox limits the script's processor time itself, but not while QuickJS runs a single long operation.
    watchdog = setTimeout(
      () => fail(`The script computed for more than ${maxMs} ms without waiting for a call`),
      maxMs,
    );
    child.stdin?.write(`${JSON.stringify(message)}\n`);
    return waiting.promise;
  }

  return {
    start(program) {
      maxMs = program.limits.computeMs * watchdogFactor;
      return request({ type: 'start', ...program });
    },
    settle: (number, settlement) => request({ type: 'settle', number, ...settlement }),
    ended: ended.promise,
    [Symbol.dispose]: () => fail('The sandbox was closed'),
  };
}

/** In the sources and the library, where each module is a file; or beside the bundle that this file is in. */
function findProgram(): string {
  const [, extension] = /\/scale\/code\/process\/sandbox\.(ts|js)$/.exec(import.meta.url) ?? [];
  const program = extension === undefined ? './sandbox.js' : `../sandbox/sandbox-main.${extension}`;
  return fileURLToPath(new URL(program, import.meta.url));
}

const quickJsPackages = ['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'] as const;

/** Throws if the packages that run scripts are not installed. */
export function assertSandboxPackages(): void {
  const program = findProgram();
  try {
    for (const name of quickJsPackages) resolvePackage(name, program);
  } catch (cause) {
    const names = quickJsPackages.join(' ');
    throw new ToolwharfError('CONFIG_INVALID', `Scripts need packages that are not installed: npm install ${names}`, {
      cause,
    });
  }
}

function permissions(program: string): string[] {
  const [core = '', variant = ''] = quickJsPackages.map((name) => resolvePackage(name, program));
  const packages = [core, variant, resolvePackage('@jitl/quickjs-ffi-types', join(core, 'package.json'))];
  return [
    '--permission',
    ...[dirname(program), ...packages].map((path) => `--allow-fs-read=${realpathSync(path)}`),
    '--no-warnings',
    `--max-old-space-size=${maxHeapMegabytes}`,
  ];
}

/** The directory of a package that a file imports. */
function resolvePackage(name: string, importer: string): string {
  let directory = dirname(createRequire(importer).resolve(name));
  while (!directory.endsWith(join(...name.split('/')))) directory = dirname(directory);
  return directory;
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
