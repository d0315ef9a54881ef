import { createLog, type Log, type LogEntry, type LogLevel } from '../../kernel/log.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import type { Terminal } from './terminal.ts';

/** From the most to the least said. */
export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** A log whose entries, from a level on, are lines on stderr: `WARNING: what happened`. */
export function createTerminalLog(
  terminal: Terminal,
  level: LogLevel,
  /** Sees every entry; true keeps it off stderr. */
  take: (entry: LogEntry) => boolean,
): Log {
  return createLog((entry) => {
    const isTaken = take(entry);
    if (!isTaken && isAtLeast(entry.level, level)) terminal.note(logLine(terminal, entry.level, entry.message));
  });
}

/** Whether a level is as grave as another, or graver. */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(least);
}

/** `LEVEL: message`, with the level coloured on a terminal. */
export function logLine({ noteColors }: Terminal, level: LogLevel, message: string): string {
  const paint = { debug: noteColors.dim, info: noteColors.cyan, warning: noteColors.yellow, error: noteColors.red }[
    level
  ];
  return `${paint(`${level.toUpperCase()}:`)} ${toDisplayText(message, { maxLength: 100_000 })}`;
}
