import { expect, test } from 'vitest';
import type { Call } from '../../api/client.ts';
import { toCsv, toJsonLines } from './export-calls.ts';

const call: Call = {
  id: '1',
  server: 's',
  tool: 'mcp_s_add',
  originalName: '=HYPERLINK("x")',
  caller: { id: 'local', kind: 'client', name: 'A, "B"', client: { name: 'Cursor', version: '1.2' } },
  arguments: { a: 1 },
  definitionHash: 'h',
  status: 'success',
  createdAt: '2026-03-01T10:00:00.000Z',
};

test('CSV has a header, quotes special characters and never begins a cell like a formula', () => {
  const [header, row, end] = toCsv([call]).split('\r\n');
  expect(header).toMatch(/^id,created_at,server,tool,caller,client,status/);
  expect(row).toBe(
    `1,2026-03-01T10:00:00.000Z,s,"'=HYPERLINK(""x"")","A, ""B""",Cursor 1.2,success,,,,,,,,"{""a"":1}"`,
  );
  expect(end).toBe('');
});

test('JSON lines have one call per line', () => {
  const lines = toJsonLines([call, call]).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([call, call]);
});
