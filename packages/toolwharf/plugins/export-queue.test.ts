import { expect, test } from 'vitest';
import { collectLog } from '../../../test/support/fixtures.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { createExportQueue, type ExportQueueOptions } from './export-queue.ts';
import type { ExportedItem } from './plugin.ts';

const item = (text = ''): ExportedItem => ({
  type: 'event',
  name: 'profiles.changed',
  at: '',
  data: { profiles: [text] },
});

function create(options: Partial<ExportQueueOptions<ExportedItem>>) {
  const { log, entries } = collectLog();
  const queue = createExportQueue({ plugin: 'test', exporter: () => {}, log, ...options });
  return { queue, events: () => entries.map(({ event }) => event) };
}

test('an export queue passes items in order, one batch at a time', async () => {
  const batches: number[] = [];
  let running = 0;
  const { queue } = create({
    maxBatch: 2,
    exporter: async (items) => {
      expect(++running).toBe(1);
      batches.push(items.length);
      await Promise.resolve();
      running--;
    },
  });
  for (let index = 0; index < 5; index++) queue.add(item());
  await queue.close();
  expect(batches).toEqual([2, 2, 1]);
  expect(queue.counts).toEqual({ exported: 5, dropped: 0 });
  queue.add(item());
  await queue.close();
  expect(queue.counts.exported).toBe(5);
});

test('an export queue drops items beyond its limits of items and bytes, counts them, and logs it once until it is empty', async () => {
  const { queue, events } = create({ maxItems: 3 });
  for (let index = 0; index < 5; index++) queue.add(item());
  await queue.close();
  expect(queue.counts).toEqual({ exported: 3, dropped: 2 });
  expect(events()).toEqual(['plugin.items-dropped']);

  const { queue: small } = create({ maxBytes: 1_000 });
  small.add(item('x'.repeat(500)));
  small.add(item('x'.repeat(500)));
  small.add(item('y'));
  await small.close();
  expect(small.counts).toEqual({ exported: 2, dropped: 1 });
});

test('an export queue drops the batch of an exporter that fails, logs the first failure of a row, and goes on', async () => {
  let failing = true;
  const { queue, events } = create({
    maxBatch: 1,
    exporter: () => {
      if (failing) throw new Error('disk full');
    },
  });
  queue.add(item());
  queue.add(item());
  await waitFor(() => queue.counts.dropped === 2, { what: 'the failures' });
  failing = false;
  queue.add(item());
  await queue.close();
  expect(queue.counts).toEqual({ exported: 1, dropped: 2 });
  expect(events()).toEqual(['plugin.exporter-failed']);
});

test('an export queue passes small items as they are', async () => {
  const added = Object.freeze({ ...item() });
  const exported: unknown[] = [];
  const { queue } = create({ isSmall: true, exporter: (items) => void exported.push(...items) });
  queue.add(added);
  await queue.close();
  expect(exported[0]).toBe(added);
});

test('an export queue does not let an exporter change its items', async () => {
  const { queue } = create({ exporter: (items) => void Object.assign(items[0] ?? {}, { name: 'changed' }) });
  const added = item();
  queue.add(added);
  await queue.close();
  expect(added).toMatchObject({ name: 'profiles.changed' });
});
