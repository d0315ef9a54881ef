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
  test('a search without words lists all tools grouped by server [R11]', () => {
    expect(search({})).toEqual(['read_file', 'writeFile', 'list', 'send', 'profile']);
  });

  test('matches in a name come before matches in a title, server or description [R11]', () => {
    expect(search({ text: 'file' })).toEqual(['read_file', 'writeFile', 'profile', 'send', 'list']);
  });

  test('typos are forgiven where nothing matches as written, and short words must be right', () => {
    expect(search({ text: 'raed' })).toEqual(['read_file']);
    expect(search({ text: 'proifle' })).toEqual(['profile']);
    expect(search({ text: 'wriet fiel' })).toEqual(['writeFile']);
    expect(search({ text: 'file' })).toContain('list');
    expect(search({ text: 'xyz' })).toEqual([]);
    expect(search({ text: 'invoices' })).toEqual([]);
  });

  test('all word beginnings must match, in any order', () => {
    expect(search({ text: 'fi rea' })).toEqual(['read_file']);
    expect(search({ text: 'FILE Mail' })).toEqual(['send', 'profile']);
    expect(search({ text: 'file nowhere' })).toEqual([]);
  });

  test('the exposed name finds its tool', () => {
    expect(search({ text: 'mcp_mail_send' })).toEqual(['send']);
  });

  test('tools are filtered by server and by kind', () => {
    expect(search({ server: 'mail' })).toEqual(['send', 'profile']);
    expect(search({ kind: 'read-only' })).toEqual(['read_file']);
    expect(search({ kind: 'destructive' })).toEqual(['writeFile']);
    expect(search({ kind: 'changed', text: 'who' })).toEqual(['profile']);
  });
});
