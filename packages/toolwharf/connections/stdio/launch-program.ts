import { type ChildProcess, type IOType, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import { ConnectionError, messageOf } from '../../../contract/errors.ts';
import { keepProcessAlive } from '../../kernel/wait.ts';
import { markerVariable, sendSignal } from './process-tree.ts';
import { createReaper } from './reaper.ts';
import { type StopOptions, stopChild } from './stop-child.ts';
import { toWindowsCommand } from './windows-command.ts';

/** How a server's program is started. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** With all references resolved. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Passes our whole environment to the program; false. */
  readonly inheritEnv?: boolean;
  /**
   * Milliseconds until the program must have ended, which grow while it may go on. It is killed then, even if this process is
   * stopped, and not started any more. Undefined if it may run for ever.
   */
  readonly expiresInMs?: () => number;
  /** Called with each process that is started. It then has a channel of Node, which this function closes. */
  readonly started?: (process: ChildProcess) => void;
  /** Files that each process gets opened for reading, as descriptors from 4 on. */
  readonly files?: readonly string[];
}

/** A program that was started. It may have ended since. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** Marks all processes of the program. */
  readonly marker: string;
  /** Calls the listener with the error output from the start on. */
  onStderr(listener: (chunk: Buffer) => void): void;
}

const inherited = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

const reaper = createReaper();
const running = new Map<number, ChildProcess>();
/** Programs that were started ahead of their connections. */
const ahead = new Map<string, Promise<RunningProgram>[]>();
let exitHookInstalled = false;

/** Starts a program in its own process group, or returns one that `launchAhead` has started. */
export async function launchProgram(program: Program): Promise<RunningProgram> {
  return ahead.get(keyOf(program))?.shift() ?? start(program);
}

/**
 * Starts programs before the code that connects to them is loaded. `launchProgram` returns them; those that it has not
 * returned until disposal are ended.
 */
export function launchAhead(programs: readonly Program[]): AsyncDisposable {
  for (const program of programs) {
    const starting = start(program);
    // The connection reports the error.
    starting.catch(() => {});
    const key = keyOf(program);
    ahead.set(key, [...(ahead.get(key) ?? []), starting]);
  }
  return {
    async [Symbol.asyncDispose]() {
      const unused = [...ahead.values()].flat();
      ahead.clear();
      await Promise.all(unused.map((starting) => starting.then(endProgram, () => {})));
    },
  };
}

/** Ends a program and all its children. */
export async function endProgram({ child, marker }: RunningProgram, options?: StopOptions): Promise<void> {
  if (child.pid === undefined) return;
  setProcessRef(child, 'ref');
  await keepProcessAlive(stopChild(child, marker, options));
  running.delete(child.pid);
  await reaper.remove(child.pid);
}

/** The descriptors of this process that children would get beside their own. Node opens none of that kind. */
const inheritedDescriptors = process.platform === 'linux' ? findInheritedDescriptors() : [];

function findInheritedDescriptors(): readonly number[] {
  const closesOnExec = 0o2000000;
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => {
        if (descriptor <= 2) return false;
        // The descriptor of the directory itself is closed already.
        if (!existsSync(`/proc/self/fdinfo/${descriptor}`)) return false;
        const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
        return (Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8) & closesOnExec) === 0;
      });
  } catch {
    return [];
  }
}

/** Whether a program keeps this process alive: only while it is being ended. Requests to it keep the process alive themselves. */
function setProcessRef(child: ChildProcess, ref: 'ref' | 'unref'): void {
  child[ref]();
  for (const stream of child.stdio) (stream as Partial<Socket> | null)?.[ref]?.();
}

/**
 * The environment of a server: its configured variables and a few harmless ones of ours, never our secrets. With
 * `inheritAll`, all of ours except those of Toolwharf itself, such as its master key.
 */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  server: Readonly<Record<string, string>>,
  { inheritAll = false }: { readonly inheritAll?: boolean } = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  const names = inheritAll ? Object.keys(own).filter((name) => !name.startsWith('TOOLWHARF_')) : inherited;
  for (const name of names) {
    const value = own[name];
    // A value that starts with "()" is an exported shell function: code, not data.
    if (value !== undefined && !value.startsWith('()')) environment[name] = value;
  }
  return { ...environment, ...server };
}

function keyOf({ command, args, env, cwd, inheritEnv }: Program): string {
  return JSON.stringify([command, args, Object.entries(env), cwd, inheritEnv]);
}

async function start(program: Program): Promise<RunningProgram> {
  if (program.expiresInMs && program.expiresInMs() <= 0)
    throw new ConnectionError('SERVER_UNREACHABLE', 'This replica may not run the server now', {
      data: { reached: false },
    });
  const marker = randomUUID();
  const isWindows = process.platform === 'win32';
  const environment = childEnvironment(process.env, program.env, { inheritAll: program.inheritEnv });
  const { file, args, ...quoting } = isWindows
    ? toWindowsCommand(program.command, program.args, { env: environment, cwd: program.cwd })
    : { file: program.command, args: program.args };
  const files = (program.files ?? []).map((path) => openSync(path, 'r'));
  const nothing = openSync(devNull, 'r+');
  const stdio: Exclude<StdioOptions, IOType> = ['pipe', 'pipe', 'pipe', program.started && 'ipc', ...files];
  // What started this process may have left descriptors open, which are not for servers.
  for (const descriptor of inheritedDescriptors) stdio[descriptor] ??= nothing;
  const child = spawn(file, [...args], {
    cwd: program.cwd,
    env: { ...environment, [markerVariable]: marker },
    stdio: Array.from(stdio, (one) => one ?? 'ignore'),
    // Its own group, so that all its processes can be ended and Ctrl-C in our terminal does not reach it first.
    detached: !isWindows,
    windowsHide: true,
    ...quoting,
  });
  for (const descriptor of [...files, nothing]) closeSync(descriptor);
  program.started?.(child);
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw toLaunchError(program, cause);
  }
  // From the start: Node drops the output of a process that ended before a listener was added.
  let listener: ((chunk: Buffer) => void) | undefined;
  let unheard: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => (listener ? listener(chunk) : unheard.push(chunk)));
  for (const stream of child.stdio) stream?.on('error', () => {});
  setProcessRef(child, 'unref');
  const pid = child.pid as number;
  running.set(pid, child);
  reaper.add(pid, marker);
  if (program.expiresInMs) limitLifetime(child, program.expiresInMs);
  if (!exitHookInstalled) {
    exitHookInstalled = true;
    process.once('exit', killRunning);
  }
  return {
    child,
    marker,
    onStderr(next) {
      listener = next;
      unheard.forEach(next);
      unheard = [];
    },
  };
}

/** Postpones the kill of a program for as long as its time is extended. */
function limitLifetime(child: ChildProcess, expiresInMs: () => number): void {
  const pid = child.pid as number;
  let killAt = 0;
  const extend = () => {
    const ms = expiresInMs();
    const at = performance.now() + ms;
    if (ms <= 0 || at < killAt + minExtensionMs) return;
    killAt = at;
    reaper.killAfter(pid, ms);
  };
  extend();
  const timer = setInterval(extend, minExtensionMs).unref();
  child.once('exit', () => clearInterval(timer));
}

const minExtensionMs = 250;

function toLaunchError({ command, cwd }: Program, cause: unknown): ConnectionError {
  const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
  const where = cwd === undefined ? '' : ` (or its working directory ${cwd})`;
  return new ConnectionError(
    'SERVER_UNREACHABLE',
    missing ? `Command not found: ${command}${where}. Is it installed and on PATH?` : messageOf(cause),
    { cause, data: { reached: false, isCommandMissing: missing } },
  );
}

/** Runs when this process exits without closing its toolbox. The reaper ends processes that left the group. */
function killRunning(): void {
  for (const pid of running.keys()) {
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    else sendSignal(-pid, 'SIGTERM');
  }
}
