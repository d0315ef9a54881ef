import { closeSync, openSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Segment, type SpooledStep, toFrame } from './spool-frame.ts';

/** Flushes the data of an open file to the disk: `fdatasync` of `node:fs`. */
export type SyncFile = (fd: number, done: (error: Error | null) => void) => void;

/** A file that steps are appended to until they are in the tables. */
export interface SpoolFile {
  readonly path: string;
  /** The number of bytes appended. */
  readonly bytes: number;
  /** Starts a new segment at the beginning of the file. */
  begin(segment: Segment): void;
  /** Writes the steps, all or none. After that they outlive this process. */
  append(steps: readonly SpooledStep[]): void;
  /** Resolves once everything appended before is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Closes and deletes the file. */
  remove(): Promise<void>;
}

export async function createSpoolFile(path: string, syncFile: SyncFile): Promise<SpoolFile> {
  const fd = await openPreallocated(path);
  const sync = createSharedSync((done) => syncFile(fd, done));
  let segment: Segment | undefined;
  let bytes = 0;

  /** Waits for pending syncs, which must not run on a reused file descriptor. */
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
      segment = next;
      bytes = 0;
    },
    append(steps) {
      if (!segment) throw new Error(`${path} was not begun`);
      const frame = toFrame(segment, steps);
      // After a partial write the next frame overwrites it.
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
 * Preallocates the file: syncing an overwrite is one disk write, while a growing file takes two. If the disk is too full,
 * the file starts empty.
 */
async function openPreallocated(path: string): Promise<number> {
  await using handle = await open(path, 'w', 0o600);
  try {
    await handle.write(Buffer.alloc(preallocatedBytes));
  } catch {
    await handle.truncate(0);
  }
  await handle.sync();
  await syncDirectory(dirname(path));
  return openSync(path, 'r+');
}

/** Makes the directory entry survive a power failure. */
async function syncDirectory(path: string): Promise<void> {
  // Windows cannot sync directories.
  if (process.platform === 'win32') return;
  await using handle = await open(path);
  await handle.sync();
}

/** Requests that arrive during a sync share the next one. */
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

const preallocatedBytes = 2 * 1024 * 1024;
