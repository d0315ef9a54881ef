import { existsSync, readFileSync } from 'node:fs';
import type { Intake, OwnedStep } from '../../sql/engine.ts';
import { createIntakeFile, type IntakeFile, type SyncFile } from './intake-file.ts';
import { readFrames } from './intake-frame.ts';
import { createTableThread } from './table-thread.ts';

interface Waiting {
  readonly step: OwnedStep;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** Two files: while the thread moves one into the tables, steps are appended to the other. */
interface Files {
  readonly token: string;
  current: IntakeFile;
  spare: IntakeFile;
  /** The file that the thread is moving into the tables. */
  full?: IntakeFile | undefined;
  /** The number of the fill in `current`. */
  fill: number;
  /** The number of the last fill in the tables. */
  settled: number;
}

/** Appends steps to a write-ahead file, which is cheap; a thread moves them into the tables in batches. */
export function createIntake(database: string, syncFile: SyncFile): Intake & { close(): Promise<void> } {
  const paths = [`${database}-intake-1`, `${database}-intake-2`] as const;
  const thread = createTableThread(database);
  let opening: Promise<Files> | undefined;
  let files: Files | undefined;
  let queue: Waiting[] = [];
  let draining: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Why calls are refused: the tables or the disk failed. */
  let trouble: unknown;

  function open(): Promise<Files> {
    opening ??= openFiles().catch((cause) => {
      opening = undefined;
      throw cause;
    });
    return opening;
  }

  async function openFiles(): Promise<Files> {
    const token = await thread.adopt(paths);
    const current = await createIntakeFile(paths[0], syncFile);
    try {
      const spare = await createIntakeFile(paths[1], syncFile);
      current.begin({ token, number: 1 });
      files = { token, current, spare, fill: 1, settled: 0 };
      return files;
    } catch (cause) {
      await current.close();
      throw cause;
    }
  }

  /** Refuses steps while the tables cannot be written, so that the files do not grow without bound. */
  async function appendWithCare(step: OwnedStep): Promise<void> {
    const { current } = await open();
    if (step.mustSync && (trouble !== undefined || current.bytes > mostBytes)) await drain();
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
    const synced = group.some(({ step }) => step.mustSync) ? syncOf(current) : undefined;
    for (const { step, resolve, reject } of group) {
      if (step.mustSync && synced) synced.then(resolve, reject);
      else resolve();
    }
    if (current.bytes > drainBytes) void drain().catch(() => {});
    else drainSoon(drainMs);
  }

  async function syncOf(file: IntakeFile): Promise<void> {
    try {
      await file.sync();
    } catch (cause) {
      trouble = cause;
      throw cause;
    }
  }

  function drainSoon(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void drain().catch(() => {});
    }, ms).unref();
  }

  function drain(): Promise<void> {
    draining ??= drainOnce().finally(() => {
      draining = undefined;
      if (trouble !== undefined) drainSoon(troubleMs);
      else if (files && files.current.bytes > 0) drainSoon(drainMs);
    });
    return draining;
  }

  async function drainOnce(): Promise<void> {
    if (!files) return;
    const full = files.full ?? startNext(files);
    if (!full) {
      trouble = undefined;
      return;
    }
    try {
      await thread.drain(full.path, full.bytes);
    } catch (cause) {
      trouble = cause;
      throw cause;
    }
    trouble = undefined;
    files.settled = files.fill - 1;
    files.spare = full;
    files.full = undefined;
  }

  /** Returns the current file if it has steps, and makes the other one current. */
  function startNext(open: Files): IntakeFile | undefined {
    const { current, spare, token } = open;
    if (current.bytes === 0) return undefined;
    open.fill++;
    spare.begin({ token, number: open.fill });
    open.full = current;
    open.current = spare;
    return current;
  }

  async function settle(): Promise<void> {
    // A process that is gone may have left steps.
    if (!files && paths.some((path) => existsSync(path))) await open();
    flush();
    if (!files) return;
    const upTo = files.current.bytes > 0 ? files.fill : files.fill - 1;
    while (files.settled < upTo) await drain();
  }

  return {
    append: (step) =>
      files && (!step.mustSync || (trouble === undefined && files.current.bytes <= mostBytes))
        ? enqueue(step)
        : appendWithCare(step),
    settle,
    unsettled() {
      const open = [files?.full, files?.current].filter((file) => file !== undefined);
      return open.flatMap(({ path, bytes }) => readFrames(readFileSync(path).subarray(0, bytes)).steps);
    },
    async close() {
      clearTimeout(timer);
      // Calls may still be opening the intake.
      await opening?.catch(() => {});
      const settled = await settle().then(
        () => true,
        () => false,
      );
      clearTimeout(timer);
      if (files)
        for (const file of [files.current, files.full ?? files.spare]) await (settled ? file.remove() : file.close());
      files = undefined;
      await thread.close();
    },
  };
}

const drainMs = 200;
const drainBytes = 1024 * 1024;
const mostBytes = 32 * 1024 * 1024;
const troubleMs = 1_000;
