import type { Environment } from '../config/references.ts';
import type { LogLevel } from '../kernel/log.ts';
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

/** Everything a command needs from the process it runs in. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly options: CommonOptions;
  /** The process environment, with `--data-dir` applied. */
  readonly env: Environment;
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** Replaces the message printed on an interrupt. If `intercept` returns true, the command keeps running. */
  onInterrupt(report: (signal: NodeJS.Signals) => void, intercept?: (signal: NodeJS.Signals) => boolean): void;
}

/** Runs a command and records its exit code. */
export type Run = (command: (context: CommandContext) => Promise<number>) => Promise<void>;
