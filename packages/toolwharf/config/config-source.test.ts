import { describe, expect, expectTypeOf, test } from 'vitest';
import { collectLog } from '../../../test/support/fixtures.ts';
import type { ConfigSource } from './config-source.ts';
import { loadConfig, parseConfig } from './load-config.ts';
import { openConfig } from './open-config.ts';

const source = (config: ConfigSource) => config;

describe('the type of a configuration', () => {
  test('the type of a configuration rejects misspelled keys of the native dialect', () => {
    // @ts-expect-error: comand
    source({ servers: { x: { comand: 'npx' } } });
    // @ts-expect-error: tiemout
    source({ servers: { x: { command: 'npx', tiemout: 5 } } });
    // @ts-expect-error: an unknown transport
    source({ servers: { x: { url: 'https://example.com', transport: 'pigeon' } } });
    // @ts-expect-error: toolbxo
    source({ servers: {}, toolbxo: { maxConcurrent: 5 } });
    // @ts-expect-error: an unknown approval mode
    source({ servers: {}, toolbox: { approval: { mode: 'never' } } });
  });

  test('the type of a configuration rejects misspelled keys of the other dialects', () => {
    // @ts-expect-error: comand
    source({ mcpServers: { x: { comand: 'npx' } } });
    // @ts-expect-error: uri
    source({ mcp_servers: { x: { transport: 'http', uri: 'https://example.com' } } });
    // @ts-expect-error: default_timout
    source({ servers: { x: { command: 'npx' } }, default_timout: 5 });
    // @ts-expect-error: mpcs
    source({ myai: { toolbox: { max_concurrent: 5, mpcs: [] } } });
    // @ts-expect-error: a value of unknown type
    source(JSON.parse('{}') as unknown);
  });

  test('the type of a configuration accepts every dialect', () => {
    const sources = [
      source('toolwharf.yaml'),
      source({ servers: { x: { command: 'npx', args: ['-y', 'server'], timeout: '5s' } }, toolbox: { maxQueued: 1 } }),
      source({
        servers: { x: { url: 'https://example.com', retry_attempts: 1 } },
        default_timeout: 30,
        max_retries: 3,
      }),
      source({ mcp_servers: { x: { transport: 'http', url: 'https://example.com' } } }),
      source({ tools: { mcp_servers: { x: { transport: 'stdio', command: 'npx', args: [] } } } }),
      source({ mcpServers: { x: { command: 'npx', args: ['-p', 80], env: { PORT: 80 }, disabled: true } } }),
      source({ servers: { x: { type: 'stdio', command: 'npx' } }, inputs: [{ id: 'key', type: 'promptString' }] }),
      source({
        myai: {
          toolbox: {
            max_concurrent: 10,
            tools: [{ name: 'search', max_instances: 2, timeout: 'PT30S' }],
            mcps: [
              {
                name: 'a',
                url: 'https://example.com',
                transport: 'streamable_http',
                mode: 'dynamic',
                default_tool_config: { max_instances: 1, timeout: 30 },
                tool_allowlist: ['a_*'],
              },
            ],
          },
        },
      }),
    ];
    for (const config of sources.slice(1)) expect(() => parseConfig(config, { env: {} })).not.toThrow();
  });

  test('the type of a configuration accepts the result of parseConfig for a value of unknown type', async () => {
    const json: unknown = JSON.parse('{"servers":{"x":{"command":"npx"}}}');
    const loaded = parseConfig(json, { env: {} });
    expectTypeOf(loaded).toExtend<ConfigSource>();
    expect(await openConfig(loaded)).toBe(loaded);
  });
});

test('a validated configuration is not parsed again, and its warnings are logged', async () => {
  const { log, entries } = collectLog();
  const loaded = parseConfig({ servers: {}, profiles: { team: { servers: ['gone'] } } }, { env: {} });
  expect(await loadConfig(loaded, { log })).toBe(loaded);
  expect(entries.map(({ event }) => event)).toEqual(['config.warning']);
});

test('an object that only resembles a validated configuration is validated', async () => {
  const { config, warnings } = parseConfig({ servers: {} }, { env: {} });
  await expect(loadConfig({ config, warnings }, { env: {} })).rejects.toThrow(/unknown key, found 'config'/);
});
