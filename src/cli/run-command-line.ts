import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import type { CommandContext, CommonOptions } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { createInterruption } from './interruption.ts';
import { createProgram } from './program/program.ts';
import { reportError } from './report-error.ts';
import { createTerminal } from './terminal/terminal.ts';

/** Runs the command this process was started with, and ends the process with its exit code. */
export async function runCommandLine(): Promise<never> {
  let sayInterrupted = (signal: NodeJS.Signals) => {
    if (signal === 'SIGINT') terminal.note('Cancelling; Ctrl-C again ends at once.');
  };
  let takesInterrupt = (_signal: NodeJS.Signals) => false;
  const interruption = createInterruption(
    (signal) => {
      sayInterrupted(signal);
      terminal.status('closing …');
    },
    (signal) => takesInterrupt(signal),
  );
  const { stdin, stdout, stderr, env } = process;
  const terminal = createTerminal({ stdin, stdout, stderr, env, onInterrupt: () => interruption.interrupt('SIGINT') });
  const program = createProgram(terminal, run);
  let exitCode: number = exitCodes.ok;
  // Waiting for a server's next try must not look like having nothing left to do.
  setInterval(() => {}, 60_000);

  async function run(command: (context: CommandContext) => Promise<number>): Promise<void> {
    const options = program.opts<CommonOptions>();
    const { dataDir } = options;
    const variables = dataDir === undefined ? env : { ...env, TOOLWHARF_DATA_DIR: resolve(dataDir) };
    exitCode = await command({
      terminal,
      options,
      env: variables,
      signal: interruption.signal,
      onInterrupt: (say, takes = () => false) => {
        sayInterrupted = say;
        takesInterrupt = takes;
      },
    });
  }

  try {
    await program.parseAsync();
  } catch (cause) {
    terminal.status();
    const { logLevel } = program.opts<CommonOptions>();
    if (cause instanceof CommanderError) exitCode = cause.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    else if (interruption.exitCode === undefined)
      exitCode = reportError(terminal, cause, { stack: logLevel === 'debug' });
  }
  await terminal.flush();
  process.exit(interruption.exitCode ?? exitCode);
}
