import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type ListOptions, printList } from './print-table.ts';
import { createTerminal } from './terminal.ts';

const items = [{ tool: 'mcp_notes_read_graph', caller: 'Administrator', args: '{"city":"Bergen"}' }];

async function print(columns: number, layout: Pick<ListOptions<unknown>, 'main' | 'optional'>): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const terminal = createTerminal({ ...streams, env: { NO_COLOR: '1' }, onInterrupt: () => {} });
  printList(terminal, items, {
    empty: '',
    columns: { TOOL: ({ tool }) => tool, CALLER: ({ caller }) => caller, ARGUMENTS: ({ args }) => args },
    ...layout,
  });
  stdout.end();
  return text(stdout);
}

test('a table is shortened to the width of the terminal, the main columns last', async () => {
  expect(await print(40, { main: ['TOOL'] })).toBe(
    'TOOL                  CALLER   ARGUMENTS\nmcp_notes_read_graph  Admini…  {"city":…\n',
  );
});

test('a terminal that is too narrow for all titles shows the table without its optional columns', async () => {
  const layout = { main: ['TOOL'], optional: ['ARGUMENTS', 'CALLER'] };
  expect(await print(39, layout)).toBe(
    'TOOL                  CALLER  ARGUMENTS\nmcp_notes_read_graph  Admin…  {"city":…\n',
  );
  expect(await print(38, layout)).toBe('TOOL                  CALLER\nmcp_notes_read_graph  Administrator\n');
  expect(await print(20, layout)).toBe('TOOL\nmcp_notes_read_graph\n');
});
