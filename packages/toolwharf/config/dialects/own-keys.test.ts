import { describe, expect, test } from 'vitest';
import { loadConfig, parseConfig } from '../load-config.ts';

const load = (document: object) => parseConfig(document, { env: {} });
const mcps = [{ name: 'a', url: 'https://x.y', mode: 'dynamic', default_tool_config: { max_instances: 2 } }];
const documents = [
  ['native', { servers: { a: { command: 'x' } } }],
  ['squidbot', { mcp_servers: { a: { command: 'x' } }, agents: {} }],
  ['squidbot', { tools: { mcp_servers: { a: { command: 'x' } } }, agents: {} }],
  ['myai', { myai: { toolbox: { max_concurrent: 4, mcps } }, logging: {} }],
  ['bridge', { servers: { a: { command: 'x' } }, max_retries: 1 }],
  ['client', { mcpServers: { a: { command: 'x' } } }],
  ['client', { servers: { a: { type: 'stdio', command: 'x' } } }],
  ['client', { mcp: { servers: { a: { type: 'stdio', command: 'x' } } } }],
] as const;

const own = {
  gateway: { requireAuthentication: true },
  profiles: { readers: { servers: ['a'] } },
  toolbox: { approval: { mode: 'always-ask' } },
};

describe("Toolwharf's own keys", () => {
  test.each(documents)(
    "Toolwharf's own keys take effect beside the servers of the %s dialect [A4, M1]",
    (dialect, document) => {
      const { config, warnings } = load({ ...document, ...own });
      expect(config).toMatchObject({
        dialect,
        servers: [{ name: 'a' }],
        gateway: { requireAuthentication: true },
        toolbox: { approval: { mode: 'always-ask' } },
        profiles: [{ name: 'default' }, { name: 'readers', approval: { mode: 'always-ask' } }],
      });
      expect(warnings.filter((warning) => /gateway|profiles|toolbox/.test(warning))).toEqual([]);
    },
  );

  test.each(documents)("Toolwharf's own keys are checked in the %s dialect", (_, document) => {
    expect(() => load({ ...document, gateway: { portt: 1 } })).toThrow(
      /gateway\.portt {2}unknown key.*did you mean 'port'/,
    );
    expect(() => load({ ...document, gatway: {} })).toThrow(
      /gatway {2}unknown key, found 'gatway'.*did you mean 'gateway'/,
    );
  });

  test("Toolwharf's own keys are read in snake_case too", () => {
    const { config } = load({ mcp_servers: {}, gateway: { require_authentication: true } });
    expect(config.gateway.requireAuthentication).toBe(true);
  });

  test("Toolwharf's own keys complete the toolbox of a myai file, and a key in both is an error that names both places", async () => {
    const document = { myai: { toolbox: { max_concurrent: 4, mcps } } };
    const { config } = load({ ...document, toolbox: { maxQueued: 7 } });
    expect(config.toolbox).toMatchObject({ maxConcurrent: 4, maxQueued: 7, naming: 'plain' });
    expect(() => load({ ...document, toolbox: { maxConcurrent: 5 } })).toThrow(
      "toolbox.maxConcurrent  is also set as 'myai.toolbox.max_concurrent': keep one",
    );
    expect(() => load({ ...document, toolbox: { maxQueued: -1 } })).toThrow(
      'toolbox.maxQueued  must be a whole number',
    );
  });
});

describe('a key without effect is an error', () => {
  test.each([
    [{ mcp_servers: {}, default_timeout: 30 }, /default_timeout {2}has no effect here: it only works beside 'servers'/],
    [{ myai: { toolbox: {} }, max_retries: 3 }, /max_retries {2}has no effect here: it only works beside 'servers'/],
    [{ mcpServers: {}, max_retries: 3 }, /max_retries {2}has no effect here/],
    [{ mcps }, /mcps {2}has no effect here: move it under 'myai\.toolbox'/],
    [{ mcp_servers: {}, mcps }, /mcps {2}has no effect here: move it under 'myai\.toolbox'/],
    [{ mcp_servers: {}, servers: {} }, /servers {2}mixes 'mcp_servers' and 'servers': list the servers under one/],
    [{ tools: { mcp_servers: {} }, servers: {} }, /mixes 'tools\.mcp_servers' and 'servers'/],
    [{ mcp: { servers: {} }, servers: {} }, /mixes 'mcp\.servers' and 'servers'/],
  ])('%j [M11, N1]', (document, message) => {
    expect(() => load(document)).toThrow(message);
  });
});

test('the types allow the keys beside every dialect', async () => {
  const { config } = await loadConfig(
    { mcpServers: { a: { command: 'x' } }, gateway: { requireAuthentication: true } },
    { env: {} },
  );
  expect(config.gateway.requireAuthentication).toBe(true);
});
