import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../src/kernel/json.ts';
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

/** The program: the sources, or the build if an environment variable requests it. */
export const cliProgram = process.env.TOOLWHARF_TEST_PROGRAM || join(root, 'src', 'cli', 'main.ts');

/** The variable with which a command line starts faster. Code from the cache has no coverage of blocks. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'toolwharf', 'compiled') };

const coverage = process.env.TOOLWHARF_TEST_COVERAGE;
/** The variables that make a command line record its coverage, or start sooner if none is wanted. */
export const coverageOrCache: Readonly<Record<string, string>> = coverage
  ? { NODE_V8_COVERAGE: coverage }
  : compileCache;

/** Separates the first line on stderr, which names the gateway in use, from the rest. */
function splitSource(stderr: string) {
  const [line = '', source] = /^(Using .*(?:at \S+|without a gateway.*))\n/.exec(stderr) ?? [];
  return { source, stderr: stderr.slice(line.length) };
}

/** Runs the command line as a child process, isolated from this machine: its home, data and files are in one directory. */
export function cliIn(directory: Awaited<ReturnType<typeof tempDir>>) {
  let files = 0;

  function start(
    args: readonly string[],
    { cwd = directory.path, env = {}, input = '', node = [], program = cliProgram }: CliOptions = {},
  ) {
    const own = {
      PATH: process.env.PATH,
      HOME: directory.path,
      TOOLWHARF_DATA_DIR: directory.file('data'),
      ...coverageOrCache,
    };
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
    run: (args: readonly string[], options?: CliOptions) => start(args, options).ended,
    /** Writes a configuration and returns its path. */
    async config(content: object | string): Promise<string> {
      const file = directory.file(`config-${++files}.yaml`);
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(patiently(content as JsonObject)));
      return file;
    },
  };
}
