import { randomBytes } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSealer } from '../../../../toolwharf/storage/sealer.ts';
import { openStorage } from '../open-storage.ts';
import { openSqliteEngine } from '../sqlite/sqlite-engine.ts';
import { createSqlPins } from './sql-pins.ts';
import type { PinRow } from './tables.ts';

const serverAddress = 'http://127.0.0.1/mcp';
const toPin = (name: string) => ({
  serverAddress,
  tool: name,
  hash: name,
  definition: { name, inputSchema: { type: 'object' as const } },
  acceptedAt: '2026-11-01T00:00:00.000Z',
});

test('many pins are handed to the writing thread in the order of their keys, so that each write changes few pages', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'toolwharf-pins-'));
  const engine = await openSqliteEngine(join(directory.path, 'toolwharf.db'));
  const written: PinRow[] = [];
  try {
    const pins = createSqlPins({ ...engine, writePins: async (rows) => void written.push(...rows) });
    const tools = Array.from({ length: 500 }, (_, at) => `tool_${at}`);
    await pins.setAll(tools.map(toPin));
    expect(written.map(({ tool }) => tool).sort()).toEqual(tools.sort());
    const starts = written.map(({ key }) => key.slice(0, 2));
    expect(starts).toEqual(starts.toSorted());
  } finally {
    await engine.close();
  }
});

test('the hashes of many pins are read in pages, and other work runs between them', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'toolwharf-pins-'));
  const file = join(directory.path, 'toolwharf.db');
  await using storage = await openStorage({ kind: 'sqlite', file, sealer: createSealer(randomBytes(32)) });
  await storage.pins.setAll(Array.from({ length: 4_500 }, (_, at) => toPin(`tool_${at}`)));
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const hashes = await storage.pins.readHashes(serverAddress);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(2);
  expect(hashes.get('tool_4499')?.hash).toBe('tool_4499');
});
