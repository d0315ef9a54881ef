import { createLog, type Log, type LogEntry, type LogLevel } from '../kernel/log.ts';
import { toDisplayText } from '../policy/display-text.ts';
import type { Terminal } from './terminal.ts';

/** From the most to the least said. */
export const logLevels: readonly LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** A log whose entries, from a level on, are lines on stderr: `WARNING: what happened`. `watch` sees every entry. */
export function createTerminalLog(terminal: Terminal, level: LogLevel, watch?: (entry: LogEntry) => void): Log {
  const least = logLevels.indexOf(level);
  return createLog((entry) => {
    watch?.(entry);
    if (logLevels.indexOf(entry.level) >= least) terminal.note(logLine(terminal, entry.level, entry.message));
  });
}

/** `LEVEL: message`, with the level coloured on a terminal. */
export function logLine({ noteColors }: Terminal, level: LogLevel, message: string): string {
  const paint = { debug: noteColors.dim, info: noteColors.cyan, warning: noteColors.yellow, error: noteColors.red }[level];
  return `${paint(`${level.toUpperCase()}:`)} ${toDisplayText(message, { maxLength: 100_000 })}`;
}
