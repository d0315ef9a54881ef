import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../packages/cli/run-command-line.ts';
import type { JsonObject } from '../../packages/contract/json.ts';
import { cliProgram } from './cli-program.ts';
import type { tempDir } from './fixtures.ts';
import { root } from './imports.ts';
import { patiently } from './toolbox.ts';

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The whole stdin; null leaves stdin open. */
  readonly input?: string | null;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  /** A program other than the command line. */
  readonly program?: string;
}

/** Options of a command in this process. */
export interface OpenOptions extends Pick<CliOptions, 'cwd' | 'env'> {
  /** Empty if undefined. */
  readonly stdin?: Readable;
  /** Receives each piece of output on stdout. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface RunOptions extends Omit<OpenOptions, 'stdin' | 'onOutput'> {
  /** The whole stdin. */
  readonly input?: string;
  /** Presses Ctrl-C after the first output. */
  readonly untilOutput?: boolean;
}

/** The variable with which a command line starts faster. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'toolwharf', 'compiled') };

/** Separates the first line on stderr, which names the gateway in use, from the rest. */
function splitSource(stderr: string) {
  const [line = '', source] = /^(Using .*(?:at \S+|without a gateway.*))\n/.exec(stderr) ?? [];
  // How long a command waits for its servers depends on the speed of the machine.
  return { source, stderr: stderr.slice(line.length).replaceAll(/^Waiting for .*; Ctrl-C (skips|cancels)\n/gm, '') };
}

/** A stream that keeps what is written to it. */
function createOutput(onWrite: (chunk: Buffer) => void = () => {}) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      onWrite(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Runs commands isolated from this machine: their home, data and files are in one directory. */
export function cliIn(directory: Awaited<ReturnType<typeof tempDir>>) {
  let files = 0;
  const own = {
    PATH: process.env.PATH,
    HOME: directory.path,
    TOOLWHARF_DATA_DIR: directory.file('data'),
    ...compileCache,
  };

  /** Starts a command in this process, which costs a fraction of a process of its own. */
  function open(args: readonly string[], options: OpenOptions = {}) {
    const { cwd = directory.path, env = {}, stdin = Readable.from([]), onOutput } = options;
    const listeners = new Map<NodeJS.Signals, (signal: NodeJS.Signals) => void>();
    const stderr = createOutput();
    const stdout = createOutput(onOutput);
    const code = runCommandLine({
      argv: [process.execPath, cliProgram, ...args],
      env: { ...own, ...env },
      stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      cwd: () => cwd,
      on: (signal, listener) => void listeners.set(signal, listener),
      exit: process.exit,
    });
    return {
      /** Delivers a signal to the command alone. */
      kill(signal: NodeJS.Signals) {
        const listener = listeners.get(signal);
        if (!listener) throw new Error(`A command in this process cannot receive ${signal}`);
        listener(signal);
      },
      /** The output so far. */
      stdout: stdout.text,
      stderr: stderr.text,
      ended: code.then((code) => ({ code, stdout: stdout.text(), ...splitSource(stderr.text()) })),
    };
  }

  /** Runs a command in this process to its end. */
  function run(args: readonly string[], { input = '', untilOutput = false, ...options }: RunOptions = {}) {
    const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
    const hasOutput = Promise.withResolvers<void>();
    const command = open(args, { ...options, stdin, onOutput: () => hasOutput.resolve() });
    if (untilOutput) void hasOutput.promise.then(() => command.kill('SIGINT'));
    return command.ended;
  }

  /** Runs a command in a process of its own. */
  function start(
    args: readonly string[],
    { cwd = directory.path, env = {}, input = '', node = [], program = cliProgram }: CliOptions = {},
  ) {
    const child = spawn(process.execPath, [...node, program, ...args], { cwd, env: { ...own, ...env } });
    child.stdin.on('error', () => {});
    if (input !== null) child.stdin.end(input);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
    });
    const ended = once(child, 'close');
    return {
      child,
      pid: child.pid ?? 0,
      /** The output so far. */
      stdout: () => stdout,
      stderr: () => stderr,
      ended: ended.then(([code]) => ({ code: code as number, stdout, ...splitSource(stderr) })),
    };
  }

  return {
    start,
    open,
    run,
    /** Writes a configuration and returns its path. */
    async config(content: object | string): Promise<string> {
      const file = directory.file(`config-${++files}.yaml`);
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(patiently(content as JsonObject)));
      return file;
    },
  };
}
