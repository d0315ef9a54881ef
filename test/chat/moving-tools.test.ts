import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Toolbox } from '../../packages/toolwharf/index.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openScriptedChat } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

test('a chat waits for a tool whose server is about to run elsewhere', async () => {
  await using dir = await tempDir();
  const START_FILE = dir.file('start');
  const waited: string[] = [];
  let toolbox: Toolbox | undefined;
  await using chat = await openScriptedChat(
    [{ calls: [{ name: 'mcp_s_echo', args: { text: 'arrived' } }] }, { text: 'Done.' }],
    {
      config: { servers: { s: fixture('slow-start', { START_FILE, START_COUNT: '100' }) } },
      startWaitMs: 0,
      assistant: { toolApproval: 'auto', serverIds: ['s'] },
      ports: {
        async waitForTools(name) {
          waited.push(name);
          await writeFile(START_FILE, '\n'.repeat(200));
          await waitFor(() => toolbox?.tools.some((tool) => tool.name === name), { what: 'the tool' });
        },
      },
    },
  );
  toolbox = chat.toolbox;
  const message = await chat.sendAndWait('Go');
  expect(waited).toEqual(['mcp_s_echo']);
  expect(message.parts.find(({ type }) => type === 'tool-call')).toMatchObject({ status: 'success' });
});
