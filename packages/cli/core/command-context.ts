import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../toolwharf/config/references.ts';
import type { LogLevel } from '../../toolwharf/kernel/log.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The options of every command. */
export interface CommonOptions {
  readonly config?: string;
  readonly dataDir?: string;
  /** The gateway to use instead of the one of the data directory. */
  readonly url?: string;
  /** Use no gateway. */
  readonly local?: boolean;
  readonly logLevel: LogLevel;
}

/** The option of commands that can print JSON. */
export interface JsonOption {
  readonly json?: boolean;
}

/** The parts of its process that the command line uses. */
export interface CommandProcess {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  cwd(): string;
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): never;
}

type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything a command needs from the process it runs in. */
export interface CommandContext {
  /** The file of this program, to start it again. */
  readonly program: string;
  /** The command that starts Toolwharf when a person pastes it in this directory. */
  readonly command: string;
  readonly stdin: CommandProcess['stdin'];
  /** For bytes and streams; lines of text go to the terminal. */
  readonly stdout: CommandProcess['stdout'];
  /** The working directory. */
  readonly cwd: string;
  /** Whether the command has a process to itself, so that it may change how V8 manages the heap. */
  readonly hasOwnProcess: boolean;
  readonly terminal: Terminal;
  readonly options: CommonOptions;
  /** The process environment, with `--data-dir` applied. */
  readonly env: Environment;
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** Closes something when the command has ended. */
  closeAtEnd(resource: AsyncDisposable): void;
  /** Lets Ctrl-C call this function, until the result is disposed. The command is cancelled if it returns false. */
  skipOnInterrupt(skip: () => boolean): Disposable;
  /** Replaces the message printed on an interrupt. If `intercept` returns true, the command keeps running. */
  onInterrupt(report: (signal: NodeJS.Signals) => void, intercept?: (signal: NodeJS.Signals) => boolean): void;
}

/** Runs a command and records its exit code. */
export type Run = (command: (context: CommandContext) => Promise<number>) => Promise<void>;
