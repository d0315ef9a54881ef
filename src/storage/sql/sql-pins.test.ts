import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteEngine } from '../sqlite/sqlite-engine.ts';
import { createSqlPins } from './sql-pins.ts';
import type { PinRow } from './tables.ts';

test('many pins are handed to the writing thread in the order of their keys, so that each write changes few pages', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'toolwharf-pins-'));
  const engine = await openSqliteEngine(join(directory.path, 'toolwharf.db'));
  const written: PinRow[] = [];
  try {
    const pins = createSqlPins({ ...engine, writePins: async (rows) => void written.push(...rows) });
    const acceptedAt = '2026-11-01T00:00:00.000Z';
    const tools = Array.from({ length: 500 }, (_, at) => `tool_${at}`);
    await pins.setAll(
      tools.map((name) => ({
        serverAddress: 'http://127.0.0.1/mcp',
        tool: name,
        hash: name,
        definition: { name, inputSchema: { type: 'object' } },
        acceptedAt,
      })),
    );
    expect(written.map(({ tool }) => tool).sort()).toEqual(tools.sort());
    const starts = written.map(({ key }) => key.slice(0, 2));
    expect(starts).toEqual(starts.toSorted());
  } finally {
    await engine.close();
  }
});
