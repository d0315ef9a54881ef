import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { createScriptTools } from './script-tools.ts';

const entry = (server: string, tool: string) =>
  ({ server, originalName: tool, name: `mcp_${server}_${tool}` }) as CatalogEntry;
const entries = [
  entry('ledger', 'charge'),
  entry('ledger', 'list-refunds'),
  entry('mail', 'send'),
  entry('chat', 'send'),
];
const tools = createScriptTools(entries);

test.each([
  ['ledger', 'charge'],
  ['ledger', 'list_refunds'],
  ['', 'mcp_ledger_charge'],
  ['', 'mcp__ledger__charge'],
  ['', 'ledger__charge'],
  ['', 'ledger/charge'],
  ['', 'ledger.charge'],
  ['', 'tools.ledger.charge'],
  ['', 'charge'],
  ['mcp', 'ledger.charge'],
])('tools[%j][%j] is a tool', (server, tool) => {
  expect(tools.find(server, tool)).toBe(tool.includes('refunds') ? entries[1] : entries[0]);
});

test('an unknown or ambiguous name is explained with the nearest names', () => {
  const problem = (server: string, tool: string) => (tools.find(server, tool) as { problem: string }).problem;
  expect(problem('', 'mcp_ledger_chargee')).toContain('Did you mean tools.ledger.charge');
  expect(problem('ledgr', 'charge')).toContain('tools.ledger.charge');
  expect(problem('', 'send')).toMatch(/tools\.mail\.send or tools\.chat\.send|tools\.chat\.send or tools\.mail\.send/);
  expect(problem('', 'ledger')).toContain('Its tools: charge, list-refunds');
  expect(problem('', 'zzzzzzzzzzzz')).toContain('Servers: ledger, mail, chat');
  expect(tools.list()).toEqual({ ledger: ['charge', 'list-refunds'], mail: ['send'], chat: ['send'] });
});
