import { describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../../../test/support/fixtures.ts';
import { isAlive } from '../../../test/support/processes.ts';
import { ConnectionError, ProtocolError } from '../../contract/errors.ts';
import { createBridge, createBridgeClient } from './bridge.ts';

const config = () => ({
  servers: { legacy: fixture('legacy'), my_server: fixture('legacy'), off: { ...fixture('legacy'), enabled: false } },
  default_timeout: 10,
  max_retries: 0,
});

describe('the client of the bridge', () => {
  test('the client of the bridge connects servers by name, caches their tools, and drops the tools on disconnect [B3, B5]', async () => {
    await using client = await createBridgeClient(config());
    expect(client.getAvailableTools()).toEqual([]);
    expect(await client.connect('nobody')).toBe(false);
    expect(await client.connect('legacy')).toBe(true);
    expect(client.getAvailableTools('legacy')).toContainEqual(
      expect.objectContaining({ name: 'echo', _server: 'legacy' }),
    );
    expect(client.getAvailableTools('my_server')).toEqual([]);
    expect((await client.callTool('legacy', 'add', { a: 1, b: 2 })).text).toBe('3');
    const { pid } = client.toolbox.servers.get('legacy')?.status ?? {};
    await client.disconnect('legacy');
    expect(client.getAvailableTools()).toEqual([]);
    expect(isAlive(pid as number)).toBe(false);
    await client.connect('my_server');
    await client.disconnectAll();
    expect(client.getAvailableTools()).toEqual([]);
  });

  test('the client of the bridge tries a server again max_retries times before it returns false [B3]', async () => {
    for (const max_retries of [0, 1]) {
      await using client = await createBridgeClient({ servers: { bad: fixture('crash-on-start') }, max_retries });
      const failures: number[] = [];
      client.toolbox.on('server.changed', ({ status }) => {
        if (status.state === 'error') failures.push(status.failures);
      });
      expect(await client.connect('bad')).toBe(false);
      expect(failures.at(-1)).toBe(max_retries + 1);
    }
  });

  test('the client of the bridge returns false when a server cannot start [B5]', async () => {
    await using client = await createBridgeClient({ servers: { bad: { command: 'no-such-command-here' } } });
    expect(await client.connect('bad')).toBe(false);
  });

  test('the client of the bridge throws different classes of errors for connection failures and protocol failures [B7]', async () => {
    await using client = await createBridgeClient({
      servers: { s: fixture('late-replies'), legacy: fixture('legacy') },
    });
    await expect(client.callTool('legacy', 'echo', { text: 'x' })).rejects.toBeInstanceOf(ConnectionError);
    await client.connect('legacy');
    await expect(client.callTool('legacy', 'no_such_tool')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await using dying = await createBridgeClient({ servers: { s: fixture('die-in-call') } });
    await dying.connect('s');
    await using dir = await tempDir();
    await expect(dying.callTool('s', 'die', { path: dir.file('x') })).rejects.toBeInstanceOf(ConnectionError);
    await using modern = await createBridgeClient({ servers: { m: fixture('modern') } });
    await modern.connect('m');
    await expect(modern.callTool('m', 'ask', { question: 'who?' })).rejects.toBeInstanceOf(ProtocolError);
  });
});

describe('the bridge', () => {
  test('the bridge connects the enabled servers and names their tools mcp_{server}_{tool} [B8, B10]', async () => {
    await using bridge = await createBridge(config());
    const tools = bridge.getToolsForAgent();
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['mcp_legacy_echo', 'mcp_my_server_echo']));
    expect(tools.some((tool) => tool.name.startsWith('mcp_off_'))).toBe(false);
    const add = tools.find((tool) => tool.name === 'mcp_legacy_add');
    expect(add?.parameters).toContainEqual(expect.objectContaining({ name: 'a', type: 'number', required: true }));
  });

  test('the bridge resolves names by lookup, so a server with an underscore in its name works [B8, B9]', async () => {
    await using bridge = await createBridge(config());
    expect((await bridge.invokeTool('mcp_my_server_echo', { text: 'hi' })).text).toBe('hi');
  });

  test('the bridge reports an unknown tool name and a disconnected server with different messages [B9]', async () => {
    await using bridge = await createBridge(config());
    await expect(bridge.invokeTool('invalid_name')).rejects.toThrow('Invalid MCP tool name: invalid_name');
    await bridge.client.disconnect('legacy');
    await expect(bridge.invokeTool('mcp_legacy_echo', { text: 'x' })).rejects.toThrow(
      'Not connected to MCP server: legacy',
    );
  });

  test('the bridge has the default servers if it has no configuration [B4, B10]', async () => {
    await using dir = await tempDir();
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TOOLWHARF_DATA_DIR: dir.path };
    await using bridge = await createBridge(undefined, { env });
    expect(bridge.client.toolbox.servers.list().map((server) => server.name)).toEqual([
      'github',
      'brave',
      'filesystem',
    ]);
    expect(bridge.getToolsForAgent().map((tool) => tool.name)).toContain('mcp_filesystem_write_file');
    const written = await bridge.invokeTool('mcp_filesystem_write_file', {
      path: `${dir.path}/files/a.txt`,
      content: 'hi',
    });
    expect(written.isError).toBe(false);
    const outside = await bridge.invokeTool('mcp_filesystem_write_file', {
      path: `${dir.path}/outside.txt`,
      content: 'hi',
    });
    expect(outside.isError).toBe(true);
  });
});
