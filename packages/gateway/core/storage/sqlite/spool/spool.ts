import { existsSync, readFileSync } from 'node:fs';
import type { OwnedStep, Spool } from '../../sql/engine.ts';
import { createSpoolFile, type SpoolFile, type SyncFile } from './spool-file.ts';
import { readFrames } from './spool-frame.ts';
import type { TableThread } from './table-thread.ts';

interface PendingStep {
  readonly step: OwnedStep;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** Two files: while the thread moves one into the tables, steps are appended to the other. */
interface Files {
  readonly token: string;
  current: SpoolFile;
  spare: SpoolFile;
  /** The file that the thread is moving into the tables. */
  full?: SpoolFile | undefined;
  /** The number of the segment in `current`. */
  segment: number;
  /** The number of the last segment in the tables. */
  lastMoved: number;
}

/** Appends steps to a write-ahead file, which is cheap; a thread moves them into the tables in batches. */
export function createSpool(
  database: string,
  thread: Pick<TableThread, 'recover' | 'moveToTables'>,
  renewToken: () => Promise<string>,
  syncFile: SyncFile,
): Spool & { close(): Promise<void> } {
  const paths = [`${database}-spool-1`, `${database}-spool-2`] as const;
  let opening: Promise<Files> | undefined;
  let files: Files | undefined;
  let queue: PendingStep[] = [];
  let moving: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Why calls are refused: the tables or the disk failed. */
  let failure: unknown;

  function open(): Promise<Files> {
    opening ??= openFiles().catch((cause) => {
      opening = undefined;
      throw cause;
    });
    return opening;
  }

  async function openFiles(): Promise<Files> {
    // Starting the thread takes longer than all the rest, so it starts only if there is something to recover.
    const token = await (paths.some((path) => existsSync(path)) ? thread.recover(paths) : renewToken());
    const current = await createSpoolFile(paths[0], syncFile);
    try {
      const spare = await createSpoolFile(paths[1], syncFile);
      current.begin({ token, number: 1 });
      files = { token, current, spare, segment: 1, lastMoved: 0 };
      return files;
    } catch (cause) {
      await current.close();
      throw cause;
    }
  }

  /** Refuses steps while the tables cannot be written, so that the files do not grow without bound. */
  async function appendWhenWritable(step: OwnedStep): Promise<void> {
    const { current } = await open();
    if (step.mustSync && (failure !== undefined || current.bytes > maxBytes)) await moveOnce();
    await enqueue(step);
  }

  function enqueue(step: OwnedStep): Promise<void> {
    return new Promise((resolve, reject) => {
      queue.push({ step, resolve, reject });
      // Wait for writes of other sockets in the same turn of the event loop.
      if (queue.length === 1) setImmediate(flush);
    });
  }

  function flush(): void {
    const group = queue;
    queue = [];
    if (group.length === 0) return;
    try {
      if (!files) throw new Error('The journal is closed');
      files.current.append(group.map(({ step }) => step));
    } catch (cause) {
      for (const { reject } of group) reject(cause);
      return;
    }
    const { current } = files;
    const synced = group.some(({ step }) => step.mustSync) ? syncFileOf(current) : undefined;
    for (const { step, resolve, reject } of group) {
      if (step.mustSync && synced) synced.then(resolve, reject);
      else resolve();
    }
    if (current.bytes > moveAboveBytes) void moveOnce().catch(() => {});
    else scheduleMove(moveAfterMs);
  }

  async function syncFileOf(file: SpoolFile): Promise<void> {
    try {
      await file.sync();
    } catch (cause) {
      failure = cause;
      throw cause;
    }
  }

  function scheduleMove(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void moveOnce().catch(() => {});
    }, ms).unref();
  }

  function moveOnce(): Promise<void> {
    moving ??= moveSegment().finally(() => {
      moving = undefined;
      if (failure !== undefined) scheduleMove(retryMs);
      else if (files && files.current.bytes > 0) scheduleMove(moveAfterMs);
    });
    return moving;
  }

  async function moveSegment(): Promise<void> {
    if (!files) return;
    const full = files.full ?? switchFiles(files);
    if (!full) {
      failure = undefined;
      return;
    }
    try {
      await thread.moveToTables(full.path, full.bytes);
    } catch (cause) {
      failure = cause;
      throw cause;
    }
    failure = undefined;
    files.lastMoved = files.segment - 1;
    files.spare = full;
    files.full = undefined;
  }

  /** Returns the current file if it has steps, and makes the other one current. */
  function switchFiles(open: Files): SpoolFile | undefined {
    const { current, spare, token } = open;
    if (current.bytes === 0) return undefined;
    open.segment++;
    spare.begin({ token, number: open.segment });
    open.full = current;
    open.current = spare;
    return current;
  }

  async function drain(): Promise<void> {
    // A process that is gone may have left steps.
    if (!files && paths.some((path) => existsSync(path))) await open();
    flush();
    if (!files) return;
    const upTo = files.current.bytes > 0 ? files.segment : files.segment - 1;
    while (files.lastMoved < upTo) await moveOnce();
  }

  return {
    append: (step) =>
      files && (!step.mustSync || (failure === undefined && files.current.bytes <= maxBytes))
        ? enqueue(step)
        : appendWhenWritable(step),
    prepare: async () => void (await open()),
    drain,
    pending() {
      const open = [files?.full, files?.current].filter((file) => file !== undefined);
      return open.flatMap(({ path, bytes }) => readFrames(readFileSync(path).subarray(0, bytes)).steps);
    },
    async close() {
      clearTimeout(timer);
      // Calls may still be opening the spool.
      await opening?.catch(() => {});
      const settled = await drain().then(
        () => true,
        () => false,
      );
      clearTimeout(timer);
      if (files)
        for (const file of [files.current, files.full ?? files.spare]) await (settled ? file.remove() : file.close());
      files = undefined;
    },
  };
}

const moveAfterMs = 200;
const moveAboveBytes = 1024 * 1024;
const maxBytes = 32 * 1024 * 1024;
const retryMs = 1_000;
