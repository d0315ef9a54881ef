import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { printList } from './print-table.ts';
import { createTerminal } from './terminal.ts';

test('a table is shortened to the width of the terminal, the main columns last', async () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 40 });
  const streams = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  const terminal = createTerminal({ ...streams, env: { NO_COLOR: '1' }, onInterrupt: () => {} });
  const items = [{ tool: 'mcp_notes_read_graph', caller: 'Administrator', args: '{"city":"Bergen"}' }];
  printList(terminal, items, {
    empty: '',
    columns: { TOOL: ({ tool }) => tool, CALLER: ({ caller }) => caller, ARGUMENTS: ({ args }) => args },
    main: ['TOOL'],
  });
  stdout.end();
  expect(await text(stdout)).toBe(
    'TOOL                  CALLER    ARGUMEN…\nmcp_notes_read_graph  Adminis…  {"city"…\n',
  );
});
