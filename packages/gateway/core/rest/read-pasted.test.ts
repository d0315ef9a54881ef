import { describe, expect, test } from 'vitest';
import { mcpClients } from '../clients/mcp-clients.ts';
import { importServers } from './import-servers.ts';

const files = { name: 'filesystem', command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'] };
const config = btoa(JSON.stringify({ command: 'uvx', args: ['mcp-server-git'] }));

describe('text that people copy from the page of a server is understood:', () => {
  test.each([
    ['a command line', 'npx -y @modelcontextprotocol/server-filesystem /tmp', files],
    ['a command line with a prompt', '$ npx -y @modelcontextprotocol/server-filesystem /tmp', files],
    ['a line that goes on', 'npx -y \\\n  @modelcontextprotocol/server-filesystem \\\n /tmp', files],
    ['a block of Markdown', '```sh\nnpx -y @modelcontextprotocol/server-filesystem /tmp\n```', files],
    ['variables', "API_KEY='a b' npx weather-mcp", { name: 'weather', env: { API_KEY: 'a b' } }],
    ['a path of Windows', 'C:\\Tools\\notes-server.exe --stdio', { name: 'notes', args: ['--stdio'] }],
    ['a container', 'docker run -i --rm mcp/fetch', { name: 'fetch', command: 'docker' }],
    ['a URL', 'https://mcp.notion.com/mcp', { name: 'notion', url: 'https://mcp.notion.com/mcp', transport: 'auto' }],
    [
      'a command of Claude Code',
      'claude mcp add airtable -e KEY=k OTHER=o -- npx -y airtable-mcp-server --flag',
      {
        name: 'airtable',
        command: 'npx',
        args: ['-y', 'airtable-mcp-server', '--flag'],
        env: { KEY: 'k', OTHER: 'o' },
      },
    ],
    [
      'a command of Claude Code with a URL',
      'claude mcp add --transport sse asana https://mcp.asana.com/sse --header "Authorization: Bearer t"',
      { name: 'asana', transport: 'sse', url: 'https://mcp.asana.com/sse' },
    ],
    [
      'a command of Claude Code with JSON',
      `claude mcp add-json git '{"command":"uvx","args":["mcp-server-git"]}'`,
      { name: 'git', command: 'uvx', args: ['mcp-server-git'] },
    ],
    ['a command of Codex', 'codex mcp add docs --url https://docs.example/mcp', { name: 'docs', transport: 'auto' }],
    ['a command of Gemini CLI', 'gemini mcp add -s user git uvx mcp-server-git', { name: 'git', command: 'uvx' }],
    ['a command of VS Code', `code --add-mcp '{"name":"git","command":"uvx"}'`, { name: 'git', command: 'uvx' }],
    ['a link of Cursor', `cursor://anysphere.cursor-deeplink/mcp/install?name=git&config=${config}`, { name: 'git' }],
    [
      'a link to Cursor',
      `https://cursor.com/en/install-mcp?name=git&config=${config}`,
      { name: 'git', command: 'uvx' },
    ],
    [
      'a link of VS Code',
      `vscode:mcp/install?${encodeURIComponent('{"name":"git","command":"uvx"}')}`,
      { name: 'git', command: 'uvx' },
    ],
    [
      'a link to VS Code',
      `https://insiders.vscode.dev/redirect/mcp/install?name=git&config=${encodeURIComponent('{"command":"uvx"}')}`,
      { name: 'git', command: 'uvx', args: [] },
    ],
    ['JSON', '{"mcpServers":{"git":{"command":"uvx"}}}', { name: 'git', command: 'uvx' }],
    ['part of a JSON file', '"git": { "command": "uvx" },', { name: 'git', command: 'uvx' }],
    ['YAML', 'servers:\n  git: { command: uvx }', { name: 'git', command: 'uvx' }],
  ])('%s', (_kind, text, server) => {
    expect(importServers(text)).toMatchObject({ servers: [server], problems: [] });
  });

  test('several lines, each with its own name', () => {
    const { servers } = importServers(
      '# two\nuvx mcp-server-git\nuvx mcp-server-git --other\nhttps://mcp.linear.app/mcp',
    );
    expect(servers.map(({ name }) => name)).toEqual(['git', 'git-2', 'linear']);
  });

  test.each(Object.entries(mcpClients).filter(([, { installLink }]) => installLink))(
    'the link that adds this gateway to %s',
    (_id, client) => {
      const url = 'https://tools.example/mcp';
      const link = client.installLink?.('toolwharf', client.entry({ kind: 'http', url }, 'toolwharf')) ?? '';
      expect(importServers(link)).toMatchObject({ servers: [{ name: 'toolwharf', url }] });
    },
  );
});

test.each([
  ['only prose', 'Install the server, then start it.'],
  ['an option without a value', 'claude mcp add -e'],
  ['a link without an entry', 'cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=e30'],
  ['a broken link', 'vscode:mcp/install?%E0%A4%A'],
  ['another protocol', 'file:///etc/passwd'],
  ['an open quote', "npx 'x"],
  ['a name that objects have', `claude mcp add-json __proto__ '{"command":"x"}'`],
])('text with %s is refused with a message', (_kind, text) => {
  const { servers, problems } = importServers(text);
  expect(servers).toEqual([]);
  expect(problems).toEqual([expect.objectContaining({ message: expect.any(String) })]);
});
