import { constants } from 'node:os';
import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { ToolwharfError } from '../contract/errors.ts';
import type { CommandContext, CommandProcess, CommonOptions } from './core/command-context.ts';
import { exitCodes, reportError } from './core/errors.ts';
import { programName } from './core/program-name.ts';
import { createTerminal } from './core/terminal/terminal.ts';
import { createProgram } from './create-program.ts';

/** Runs the command given on the process's command line; resolves to the exit code. */
export async function runCommandLine(process: CommandProcess): Promise<number> {
  const { argv, stdin, stdout, stderr, env } = process;
  const interrupted = new AbortController();
  const file = resolve(argv[1] ?? '');
  const command = () =>
    programName({ program: file, env, cwd: process.cwd(), dataDir: program.opts<CommonOptions>().dataDir });
  let exitCode: number = exitCodes.ok;
  let signalExitCode: number | undefined;
  let intercept = (_signal: NodeJS.Signals) => false;
  let skip = () => false;
  let reportInterrupt = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT') terminal.note('Cancelling. Press Ctrl-C again to exit immediately.');
  };

  /** The first signal cancels the command, so that it closes in order; the second exits immediately. */
  function interrupt(signal: NodeJS.Signals): void {
    const code = 128 + constants.signals[signal];
    if (signalExitCode !== undefined) process.exit(code);
    if ((signal === 'SIGINT' && skip()) || intercept(signal)) return;
    signalExitCode = code;
    reportInterrupt(signal);
    terminal.status('Closing …');
    interrupted.abort(new ToolwharfError('CALL_CANCELLED', 'Cancelled'));
  }

  async function run(action: (context: CommandContext) => Promise<number>): Promise<void> {
    const options = program.opts<CommonOptions>();
    const { dataDir } = options;
    const opened: AsyncDisposable[] = [];
    const close = async () => {
      for (const resource of opened.toReversed()) await resource[Symbol.asyncDispose]();
    };
    exitCode = await action({
      program: file,
      command: command(),
      stdin,
      stdout,
      cwd: process.cwd(),
      hasOwnProcess: process === globalThis.process,
      terminal,
      options,
      env: dataDir === undefined ? env : { ...env, TOOLWHARF_DATA_DIR: resolve(process.cwd(), dataDir) },
      signal: interrupted.signal,
      closeAtEnd: (resource) => void opened.push(resource),
      skipOnInterrupt(next) {
        skip = next;
        return {
          [Symbol.dispose]() {
            skip = () => false;
          },
        };
      },
      onInterrupt(report, interceptor = () => false) {
        reportInterrupt = report;
        intercept = interceptor;
      },
    }).finally(close);
  }

  const terminal = createTerminal({ stdin, stdout, stderr, env, command, onInterrupt: () => interrupt('SIGINT') });
  const program = createProgram(terminal, run, command, argv.slice(2));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  // Keeps the process alive while the only thing pending is an unreferenced reconnect timer.
  const alive = setInterval(() => {}, 60_000);

  try {
    await program.parseAsync(argv);
  } catch (cause) {
    terminal.status();
    if (cause instanceof CommanderError) exitCode = cause.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    else if (signalExitCode === undefined) {
      exitCode = reportError(terminal, cause, { stack: program.opts<CommonOptions>().logLevel === 'debug' });
    }
  }
  await terminal.flush();
  clearInterval(alive);
  return signalExitCode ?? exitCode;
}
