import { createLog, type Log, type LogEntry, type LogLevel } from '../../../toolwharf/kernel/log.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import type { Terminal } from './terminal.ts';

/** The log levels, from the most to the least verbose. */
export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** A log that writes entries of a level or above to stderr as `WARNING: message`. */
export function createTerminalLog(
  terminal: Terminal,
  level: LogLevel,
  /** Sees every entry; returns true to keep it off stderr. */
  suppress: (entry: LogEntry) => boolean = () => false,
): Log {
  return createLog((entry) => {
    const isSuppressed = suppress(entry);
    if (!isSuppressed && isAtLeast(entry.level, level)) terminal.say(logLine(terminal, entry.level, entry.message));
  });
}

/** Whether a level is as severe as another or more. */
export function isAtLeast(level: LogLevel, minimum: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(minimum);
}

/** `LEVEL: message`, with the level coloured on a terminal. */
export function logLine({ noteColors: colors }: Terminal, level: LogLevel, message: string): string {
  const paint = { debug: colors.dim, info: colors.cyan, warning: colors.yellow, error: colors.red }[level];
  return `${paint(`${level.toUpperCase()}:`)} ${toDisplayText(message, { maxLength: 100_000 })}`;
}
