import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../contract/errors.ts';
import type { Log } from '../kernel/log.ts';
import { waitAtMost } from '../kernel/wait.ts';
import { measureJson } from '../policy/measure-json.ts';

export interface ExportQueueOptions<Item> {
  readonly plugin: string;
  /** Exports a batch. Rejects if it fails or takes too long. */
  readonly exporter: (items: readonly Item[]) => void | Promise<void>;
  readonly log: Log;
  /** Frozen items of a few fields need not be measured and copied; false. */
  readonly isSmall?: boolean;
  /** Further items are dropped; 1 000, and 10 000 small ones. */
  readonly maxItems?: number;
  /** Further items are dropped; 16 MiB. */
  readonly maxBytes?: number;
  readonly maxBatch?: number;
}

/** The items that wait for the exporter of a plugin. Adding one never throws and never waits. */
export interface ExportQueue<Item> {
  add(item: Item): void;
  /** Items that the exporter took, and items that it did not: the queue was full, or it failed. */
  readonly counts: { readonly exported: number; readonly dropped: number };
  /** Exports the last items, as far as that is possible in time. */
  close(): Promise<void>;
}

/** How long the last items may take when the toolbox closes. */
const closeMs = 5_000;

export function createExportQueue<Item>(options: ExportQueueOptions<Item>): ExportQueue<Item> {
  const { plugin, exporter, log, isSmall = false, maxBytes = 16 * 1024 * 1024, maxBatch = 200 } = options;
  const { maxItems = isSmall ? 10_000 : 1_000 } = options;
  const counts = { exported: 0, dropped: 0 };
  let items: { readonly item: Item; readonly bytes: number }[] = [];
  let bytes = 0;
  let isClosed = false;
  let isFailing = false;
  let isFull = false;
  let running: Promise<void> | undefined;

  function add(item: Item): void {
    if (isClosed) return;
    const { bytes: size, exceeded } = isSmall
      ? { bytes: 0 }
      : measureJson(item, { maxBytes: maxBytes - bytes, maxDepth: 1_000 });
    if (exceeded || items.length >= maxItems) drop();
    else {
      items.push({ item, bytes: size });
      bytes += size;
    }
    running ??= run();
  }

  function drop(): void {
    counts.dropped++;
    if (isFull) return;
    isFull = true;
    const message = `The exporter of plugin '${plugin}' is too slow: its queue is full, and further items are dropped`;
    log.warning('plugin.items-dropped', message, { plugin, dropped: counts.dropped });
  }

  async function run(): Promise<void> {
    // Items of the same turn are exported together, after the calls have continued.
    await nextTurn();
    while (items.length > 0) {
      const batch = items.slice(0, maxBatch);
      items = items.slice(maxBatch);
      await exportBatch(batch.map(({ item }) => item));
      bytes -= batch.reduce((sum, item) => sum + item.bytes, 0);
    }
    isFull = false;
    running = undefined;
  }

  async function exportBatch(batch: readonly Item[]): Promise<void> {
    try {
      // A copy: an exporter must not change the records of the journal.
      await exporter(isSmall ? batch : JSON.parse(JSON.stringify(batch)));
      counts.exported += batch.length;
      isFailing = false;
    } catch (cause) {
      counts.dropped += batch.length;
      const message = `The exporter of plugin '${plugin}' failed, and ${batch.length} items were dropped: ${messageOf(cause)}`;
      if (!isFailing) log.error('plugin.exporter-failed', message, { plugin, dropped: counts.dropped });
      isFailing = true;
    }
  }

  return {
    add,
    counts,
    async close() {
      isClosed = true;
      if (running) await waitAtMost(running, closeMs);
      counts.dropped += items.length;
      items = [];
    },
  };
}
