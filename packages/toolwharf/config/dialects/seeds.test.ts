import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../load-config.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../../../test/fixtures/config/${name}`, import.meta.url));
const load = (name: string, env = {}) => loadConfig(fixture(name), { env });

describe('existing files load unchanged', () => {
  test.each(['seed-000.json', 'seed-000-tools.json'])(
    '%s: mcp_servers at the top and under tools [A4]',
    async (name) => {
      const { config, warnings } = await load(name);
      expect(warnings).toEqual([]);
      expect(config.dialect).toBe('squidbot');
      expect(config.toolbox.naming).toBe('mcp');
      expect(config.servers).toMatchObject([
        {
          name: 'github',
          required: false,
          target: { transport: 'stdio', command: 'uvx', args: ['mcp-server-github'], env: { GITHUB_TOKEN: '...' } },
        },
        { name: 'myapi', required: false, target: { transport: 'auto', url: 'http://localhost:8080/mcp' } },
      ]);
    },
  );

  test('the myai file of §2.1 loads with its tools, a dynamic and a strict server [M1]', async () => {
    const { config, warnings } = await load('seed-002-2.1.yaml');
    expect(warnings).toEqual([]);
    expect(config.dialect).toBe('myai');
    expect(config.toolbox).toMatchObject({ maxConcurrent: 10, naming: 'plain', localToolsMustBeConfigured: true });
    expect(config.toolbox.tools).toEqual([
      { name: 'sum_numbers', maxInstances: 20, timeoutMs: 30_000 },
      { name: 'multiply_numbers', maxInstances: 15 },
      { name: 'get_customer', maxInstances: 10 },
    ]);
    expect(config.servers).toMatchObject([
      {
        name: 'customers',
        required: true,
        mode: 'dynamic',
        defaultTool: { maxInstances: 10, timeoutMs: 30_000 },
        prompts: [],
        target: { transport: 'http', url: 'http://localhost:8180/mcp/http/mcp' },
      },
      { name: 'internal-tools', required: true, mode: 'strict', defaultTool: { maxInstances: 5, timeoutMs: 30_000 } },
    ]);
  });

  test('the myai file A.1 loads with strict servers only [M1]', async () => {
    const { config } = await load('seed-002-a1.yaml');
    expect(config.servers).toMatchObject([{ name: 'customers', mode: 'strict', required: true }]);
    expect(config.toolbox.tools).toEqual([{ name: 'get_customer', maxInstances: 10 }]);
  });

  test('the myai file A.2 loads with dynamic servers only and without tools [M1]', async () => {
    const { config } = await load('seed-002-a2.yaml');
    expect(config.servers).toMatchObject([{ mode: 'dynamic', defaultTool: { maxInstances: 10, timeoutMs: 30_000 } }]);
    expect(config.toolbox.tools).toEqual([]);
  });

  test('the myai file A.3 loads with a warning about its remote plain-http server [M1] [R19]', async () => {
    const { config, warnings } = await load('seed-002-a3.yaml');
    expect(warnings).toEqual([expect.stringMatching(/'external-api' will not be connected.*plain http/)]);
    expect(config.toolbox.tools).toEqual([
      { name: 'sum_numbers', maxInstances: 20 },
      { name: 'get_customer', maxInstances: 50, timeoutMs: 60_000 },
    ]);
    expect(config.servers).toMatchObject([
      { name: 'customers', mode: 'dynamic' },
      { name: 'external-api', mode: 'strict', target: { url: 'http://external.com/mcp', allowInsecure: false } },
    ]);
  });

  test('the bridge file loads, and its timeout in seconds and its retries apply to every server [B1] [B3]', async () => {
    const { config, warnings } = await load('seed-003.json');
    expect(warnings).toEqual([]);
    expect(config.dialect).toBe('bridge');
    expect(config.servers).toMatchObject([
      {
        name: 'github',
        enabled: true,
        timeoutMs: 60_000,
        retryAttempts: 5,
        defaultTool: { timeoutMs: 60_000 },
        target: { command: 'uvx', args: ['mcp-server-github'], env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } },
      },
    ]);
  });
});
