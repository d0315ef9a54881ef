import { closeSync, openSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Fill, type IntakeStep, toFrame } from './intake-frame.ts';

/** Flushes the data of an open file to the disk: `fdatasync` of `node:fs`. */
export type SyncFile = (fd: number, done: (error: Error | null) => void) => void;

/** A file that steps are appended to until it is emptied into the tables. */
export interface IntakeFile {
  readonly path: string;
  /** How much is in it. */
  readonly bytes: number;
  /** Begins again at the start of the file. */
  begin(fill: Fill): void;
  /** Hands the steps to the system, all or none: they outlive this process. */
  append(steps: readonly IntakeStep[]): void;
  /** Resolves once all that was appended before is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Closes it, and takes it away. */
  remove(): Promise<void>;
}

export async function createIntakeFile(path: string, syncFile: SyncFile): Promise<IntakeFile> {
  const fd = await openFilled(path);
  const sync = createSharedSync((done) => syncFile(fd, done));
  let fill: Fill | undefined;
  let bytes = 0;

  /** A sync under way must not meet another file under the same number. */
  async function close(): Promise<void> {
    await sync().catch(() => {});
    closeSync(fd);
  }

  return {
    path,
    get bytes() {
      return bytes;
    },
    begin(next) {
      fill = next;
      bytes = 0;
    },
    append(steps) {
      if (!fill) throw new Error(`${path} was not begun`);
      const frame = toFrame(fill, steps);
      // Where only a part could be written, the next one is written over it.
      for (let done = 0; done < frame.length; ) done += writeSync(fd, frame, done, frame.length - done, bytes + done);
      bytes += frame.length;
    },
    sync,
    close,
    async remove() {
      await close();
      await rm(path, { force: true });
    },
  };
}

/**
 * A file with room: syncing what is written over is one write to the disk, while a file that grows takes two. A disk without
 * that room is no reason not to begin.
 */
async function openFilled(path: string): Promise<number> {
  await using handle = await open(path, 'w', 0o600);
  try {
    await handle.write(Buffer.alloc(room));
  } catch {
    await handle.truncate(0);
  }
  await handle.sync();
  await syncDirectory(dirname(path));
  return openSync(path, 'r+');
}

/** So that the file itself is still there after a power cut. */
async function syncDirectory(path: string): Promise<void> {
  // Windows has no such thing.
  if (process.platform === 'win32') return;
  await using handle = await open(path);
  await handle.sync();
}

/** Whoever asks while a sync runs shares the next one. */
function createSharedSync(sync: (done: (error: Error | null) => void) => void): () => Promise<void> {
  let next: PromiseWithResolvers<void> | undefined;
  let running = false;

  function start(): void {
    const group = next;
    next = undefined;
    if (!group) return;
    running = true;
    sync((error) => {
      running = false;
      if (error) group.reject(error);
      else group.resolve();
      start();
    });
  }

  return () => {
    next ??= Promise.withResolvers();
    const { promise } = next;
    if (!running) start();
    return promise;
  };
}

const room = 2 * 1024 * 1024;
