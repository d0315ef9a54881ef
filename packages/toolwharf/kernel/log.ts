import { notify } from './notify.ts';

/** The levels of a log, by increasing severity. */
export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** Flat facts of a log entry. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** A structured log: an event name for programs, a sentence for people, flat fields. Never secrets or tool arguments. */
export interface Log {
  debug(event: string, message: string, fields?: LogFields): void;
  info(event: string, message: string, fields?: LogFields): void;
  warning(event: string, message: string, fields?: LogFields): void;
  error(event: string, message: string, fields?: LogFields): void;
}

/** One entry of a log. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event: string;
  readonly message: string;
  readonly fields: LogFields;
}

/**
 * A `Log` that hands each entry to one function.
 *
 * @example
 * ```ts
 * import { createLog, createToolbox } from 'toolwharf';
 *
 * const log = createLog(({ level, event }) => console.log(level, event));
 * await using toolbox = await createToolbox({ servers: { files: { command: 'no-such-program' } } }, { log });
 * // warning server.skipped
 * ```
 */
export function createLog(write: (entry: LogEntry) => void): Log {
  const at =
    (level: LogLevel) =>
    (event: string, message: string, fields: LogFields = {}) =>
      write({ level, event, message, fields });
  return { debug: at('debug'), info: at('info'), warning: at('warning'), error: at('error') };
}

/** The given log; without one, warnings and errors go to stderr; `false` discards every entry. */
export function resolveLog(log: Log | false | undefined): Log {
  if (log === false) return silentLog;
  return log ? guardLog(log) : stderrLog;
}

const guarded = new WeakSet<Log>();

/** The log of the program. Nothing fails because it fails. */
function guardLog(log: Log): Log {
  if (guarded.has(log)) return log;
  const safe = createLog(({ level, event, message, fields }) => notify(() => log[level](event, message, fields)));
  guarded.add(safe);
  return safe;
}

let hasHint = false;

/** Writes warnings and errors to stderr, and once how to handle them. */
const stderrLog: Log = createLog(({ level, message }) => {
  if (level !== 'warning' && level !== 'error') return;
  process.stderr.write(`Toolwharf ${level.toUpperCase()}: ${message}\n`);
  if (hasHint) return;
  hasHint = true;
  process.stderr.write(
    'Toolwharf: toolbox.servers.list() shows the state of every server. Pass a `log` to receive these messages, or `log: false` to discard them.\n',
  );
});

/** Discards every entry. */
export const silentLog: Log = createLog(() => {});

/** Keeps its entries until they are written to another log. */
export interface HeldLog extends Log {
  writeTo(log: Log): void;
}

export function createHeldLog(): HeldLog {
  const entries: LogEntry[] = [];
  return {
    ...createLog((entry) => void entries.push(entry)),
    writeTo(log) {
      for (const { level, event, message, fields } of entries.splice(0)) log[level](event, message, fields);
    },
  };
}
