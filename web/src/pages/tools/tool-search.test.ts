import { describe, expect, test } from 'vitest';
import type { Tool } from '../../api/client.ts';
import { indexTools, type ToolFilter } from './tool-search.ts';

const tool = (server: string, originalName: string, more: Partial<Tool> = {}): Tool => ({
  name: `mcp_${server}_${originalName}`,
  originalName,
  server,
  description: '',
  parameters: { type: 'object' },
  definitionHash: 'x',
  limits: { maxInstances: 1, timeoutMs: 1_000 },
  ...more,
});

const tools = [
  tool('files', 'read_file', { description: 'Reads a text from disk', annotations: { readOnlyHint: true } }),
  tool('files', 'writeFile', { description: 'Writes a file', annotations: { destructiveHint: true } }),
  tool('mail', 'send', { title: 'Send a file by mail' }),
  tool('mail', 'profile', { description: 'Who you are', changed: 'ask' }),
  tool('files', 'list', { description: 'Every file of a folder' }),
];

const search = (filter: Partial<ToolFilter>) =>
  indexTools(tools)
    .search({ text: '', server: '', kind: '', ...filter })
    .map(({ originalName }) => originalName);

describe('searching tools', () => {
  test('without words gives all, those of one server together [R11]', () => {
    expect(search({})).toEqual(['read_file', 'writeFile', 'list', 'send', 'profile']);
  });

  test('finds a word in a name before one in a title, a server or a description [R11]', () => {
    expect(search({ text: 'file' })).toEqual(['read_file', 'writeFile', 'profile', 'send', 'list']);
  });

  test('takes the beginnings of words in any order, and all of them must be there', () => {
    expect(search({ text: 'fi rea' })).toEqual(['read_file']);
    expect(search({ text: 'FILE Mail' })).toEqual(['send', 'profile']);
    expect(search({ text: 'file nowhere' })).toEqual([]);
  });

  test('by the full name it is called by finds that tool', () => {
    expect(search({ text: 'mcp_mail_send' })).toEqual(['send']);
  });

  test('goes by server and by what a tool claims or became', () => {
    expect(search({ server: 'mail' })).toEqual(['send', 'profile']);
    expect(search({ kind: 'read-only' })).toEqual(['read_file']);
    expect(search({ kind: 'destructive' })).toEqual(['writeFile']);
    expect(search({ kind: 'changed', text: 'who' })).toEqual(['profile']);
  });
});
