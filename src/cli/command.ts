import type { LogLevel } from '../kernel/log.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The options every command takes. */
export interface CommonOptions {
  readonly config?: string;
  readonly dataDir?: string;
  readonly logLevel: LogLevel;
}

/** What a command runs with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly options: CommonOptions;
  /** The process environment, with the data directory of the command line. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the person presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Takes what to say at that moment, instead of the usual. Where `takes` gives true, the signal is dealt with and nothing ends. */
  onInterrupt(say: (signal: NodeJS.Signals) => void, takes?: (signal: NodeJS.Signals) => boolean): void;
}

/** Runs a command in the context of the command line, and keeps its exit code. */
export type Run = (command: (context: CommandContext) => Promise<number>) => Promise<void>;
