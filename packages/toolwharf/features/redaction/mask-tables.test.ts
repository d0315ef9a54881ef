import { expect, test } from 'vitest';
import { createMemoryPluginRecords, openPluginRecords } from '../../plugins/plugin-records.ts';
import { createMaskTables, keyOf, maskRecords } from './mask-tables.ts';

const hour = 3_600_000;

function setUp(now = () => 0) {
  const { masks } = openPluginRecords({ name: 'test', records: { masks: maskRecords } }, createMemoryPluginRecords());
  if (!masks) throw new Error('there are no records');
  return { records: masks, open: () => createMaskTables({ now, expiresMs: hour }) };
}

const emails = (...names: string[]) => names.map((name) => ({ class: 'email', value: `${name}@example.com` }));

test('processes that mask values of one conversation at the same time give each value one mask', async () => {
  const { records, open } = setUp();
  const names = Array.from({ length: 20 }, (_, number) => `n${number}`);
  const all = await Promise.all(names.map((name) => open().mask('c', emails(name, 'shared'), records)));
  const masks = names.map((name, at) => all[at]?.get(keyOf({ class: 'email', value: `${name}@example.com` })));
  expect(new Set(masks).size).toBe(20);
  expect(new Set(all.map((one) => one.get('email shared@example.com'))).size).toBe(1);
  const values = await open().values('c', records);
  for (const [at, mask] of masks.entries()) expect(values.get(mask ?? '')).toBe(`n${at}@example.com`);
});

test('a conversation has a limited number of values, and further values have no mask', async () => {
  const { records, open } = setUp();
  const many = emails(...Array.from({ length: 1_001 }, (_, number) => `n${number}`));
  expect((await open().mask('c', many, records)).size).toBe(1_000);
  const [long] = emails('x'.repeat(100_001));
  expect((await open().mask('other', long ? [long] : [], records)).size).toBe(0);
});

test('values are removed after they expire, also those of conversations that nobody uses', async () => {
  let now = 0;
  const { records, open } = setUp(() => now);
  const tables = open();
  await tables.mask('old', emails('ada'), records);
  now = 2 * hour;
  await tables.mask('new', emails('bob'), records);
  const stored = JSON.stringify(await records.list());
  expect(stored).toContain('bob@');
  expect(stored).not.toContain('ada@');
  expect(await tables.values('old', records)).toEqual(new Map());
  expect(tables.known('old')).toEqual(new Map());
  now += 100 * 24 * hour;
  await tables.mask('new', emails('bob'), records);
  expect(await records.list()).toHaveLength(1);
});
