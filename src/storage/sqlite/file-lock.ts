import { DatabaseSync } from 'node:sqlite';

/** Held until it is released or the process ends, however it ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes a lock on a file of its own; undefined when somebody has it. The system lets go of it when the process ends,
 * so nothing stale is left, as it would be with a file that holds a process id.
 */
export function takeFileLock(file: string): FileLock | undefined {
  const lock = new DatabaseSync(file);
  try {
    // Nothing is ever written to it, so it needs no journal beside it.
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (cause) {
    lock.close();
    if ((cause as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw cause;
  }
}

const sqliteBusy = 5;
