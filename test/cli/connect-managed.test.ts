import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { tempDir } from '../support/fixtures.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const { run } = cliIn(directory);

const read = async (file: string) => JSON.parse(await readFile(directory.file(`toolwharf-managed/${file}`), 'utf8'));
const origin = 'http://127.0.0.1:7420';

test('toolwharf connect --managed writes the files with which Claude Code reaches only the gateway', async () => {
  const { code, stdout, stderr } = await run(['connect', '--managed', 'claude-code']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('/etc/claude-code/') });
  expect(stdout.match(/^Written: .*$/gm)).toHaveLength(2);
  expect(await read('claude-code/managed-mcp.json')).toEqual({
    mcpServers: { toolwharf: { type: 'http', url: `${origin}/mcp` } },
  });
  expect(await read('claude-code/managed-settings.json')).toEqual({
    allowManagedMcpServersOnly: true,
    allowedMcpServers: [{ serverUrl: `${origin}/*` }],
    deniedMcpServers: [],
  });
});

test('toolwharf connect --managed leads VS Code and Copilot to the registry of the gateway', async () => {
  const vscode = await run(['connect', '--managed', 'vscode', '--json']);
  expect(JSON.parse(vscode.stdout)).toMatchObject({
    client: 'vscode',
    files: { 'policy.json': { ChatMCP: 'registry', McpGalleryServiceUrl: origin } },
  });
  expect(await read('vscode/policy.json')).toEqual({ ChatMCP: 'registry', McpGalleryServiceUrl: origin });
  const copilot = await run(['connect', '--managed', 'copilot']);
  expect(copilot.stderr).toContain(`enter the registry URL ${origin}`);
  expect(await read('copilot/coding-agent.json')).toMatchObject({
    mcpServers: { toolwharf: { type: 'http', url: `${origin}/mcp`, tools: ['*'] } },
  });
});

test('toolwharf connect --managed writes nothing with --dry-run, and names the products that it knows', async () => {
  const { code, stdout } = await run(['connect', '--managed', 'vscode', '--dry-run', '--output', 'other']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('"ChatMCP": "registry"') });
  expect(existsSync(directory.file('other'))).toBe(false);
  const unknown = await run(['connect', '--managed', 'zed']);
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain('claude-code');
});
