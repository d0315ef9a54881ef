import { describe, expect, test } from 'vitest';
import { parseConfig } from '../load-config.ts';

const load = (server: unknown) =>
  parseConfig({ tools: { mcp_servers: { a: server }, other: 1 }, agents: {} }, { env: {} });

describe('the squidbot dialect', () => {
  test('the squidbot dialect accepts the unused fields of the other transport that the bot writes [A4]', () => {
    const empty = { command: '', args: [], env: null, cwd: null, url: '' };
    expect(load({ ...empty, transport: 'stdio', command: 'uvx' }).config.servers[0]?.target).toEqual({
      transport: 'stdio',
      command: 'uvx',
      args: [],
      env: {},
    });
    expect(load({ ...empty, transport: 'http', url: 'https://x.y' }).config.servers[0]?.target).toMatchObject({
      transport: 'auto',
      url: 'https://x.y',
    });
  });

  test('the squidbot dialect infers stdio from a command and ignores the other sections of the file [A4]', () => {
    const { config, warnings } = load({ command: 'uvx', cwd: '/srv' });
    expect(config.servers[0]?.target).toMatchObject({ transport: 'stdio', cwd: '/srv' });
    expect(warnings).toEqual([]);
  });

  test('the squidbot dialect reports problems with the paths of the file [A9]', () => {
    expect(() => load({ transport: 'websocket', command: 'x' })).toThrow(
      /tools\.mcp_servers\.a\.transport {2}unknown transport of server 'a', found "websocket"; allowed: stdio, http, sse, auto/,
    );
    expect(() => load({ transport: 'stdio', command: '' })).toThrow(
      /tools\.mcp_servers\.a\.command {2}server 'a' needs 'command'/,
    );
    expect(() => load({ comand: 'x' })).toThrow(/tools\.mcp_servers\.a\.comand {2}unknown key.*did you mean 'command'/);
    expect(() => load('x')).toThrow(/tools\.mcp_servers\.a {2}server 'a' must be a map/);
    expect(() => parseConfig({ mcp_servers: [] }, { env: {} })).toThrow(/mcp_servers {2}must be a map of server names/);
  });

  test('the squidbot dialect warns about plain http to another machine [R19]', () => {
    const { config, warnings } = load({ transport: 'http', url: 'http://example.com/mcp' });
    expect(warnings).toHaveLength(1);
    expect(config.servers[0]?.target).toMatchObject({ allowInsecure: false });
    expect(load({ url: 'http://example.com/mcp', allow_insecure: true }).warnings).toEqual([]);
  });
});
