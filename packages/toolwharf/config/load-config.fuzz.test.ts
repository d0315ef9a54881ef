import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../contract/errors.ts';
import { parseConfig, parseConfigText } from './load-config.ts';

const numRuns = Number(process.env.FUZZ_RUNS ?? 300);

function onlyConfigErrors(load: () => unknown): void {
  try {
    load();
  } catch (error) {
    if (!(error instanceof ToolwharfError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.data.problems).not.toHaveLength(0);
  }
}

const keys = fc.constantFrom(
  ...[
    'servers',
    'toolbox',
    'tools',
    'myai',
    'mcps',
    'mcp_servers',
    'mcpServers',
    'default_timeout',
    'max_retries',
    'inputs',
  ],
  ...[
    'command',
    'args',
    'env',
    'url',
    'transport',
    'type',
    'headers',
    'authentication',
    'name',
    'mode',
    'timeout',
    'rate',
  ],
  ...[
    'default_tool_config',
    'approval',
    'oauth',
    'serverUrl',
    'disabled',
    'mcp',
    '__proto__',
    'constructor',
    'toString',
    '',
  ],
);
const values = fc.oneof(
  fc.constantFrom(
    'https://x.y',
    'http://example.com',
    '${A}',
    '${input:a}',
    '${file:/nonexistent}',
    'Bearer ${env:B}',
    'dynamic',
    'stdio',
    '30s',
  ),
  fc.jsonValue({ maxDepth: 1 }),
);
/** JSON that uses known configuration keys, so that it passes the first check. */
const documents = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    values,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.array(fc.tuple(keys, tie('node')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).node;

describe('loading arbitrary input', () => {
  test('any JSON value either loads or fails with one CONFIG_INVALID', () => {
    fc.assert(fc.property(fc.jsonValue(), (input) => onlyConfigErrors(() => parseConfig(input, { env: {} }))));
  });

  test('JSON with known configuration keys either loads or fails with one CONFIG_INVALID', () => {
    fc.assert(
      fc.property(documents, (input) => onlyConfigErrors(() => parseConfig(input, { env: { A: 'a' } }))),
      { numRuns: 2 * numRuns },
    );
  });

  test('arbitrary overrides either load or fail with one CONFIG_INVALID', () => {
    const segment = fc.oneof(keys, fc.constantFrom('SERVERS', 'TOOLBOX', 'A', '0', '7', 'MYAI'));
    const variable = fc
      .tuple(fc.constantFrom('TOOLWHARF__', 'APP_MYAI__'), fc.array(segment, { minLength: 1, maxLength: 4 }))
      .map(([prefix, segments]) => prefix + segments.join('__'));
    const env = fc.dictionary(variable, fc.string(), { maxKeys: 4 });
    fc.assert(
      fc.property(documents, env, fc.dictionary(keys, documents, { maxKeys: 3 }), (input, variables, overrides) =>
        onlyConfigErrors(() => parseConfig(input, { env: variables, overrides })),
      ),
      { numRuns },
    );
  });

  test('any text, as YAML or as JSON, either loads or fails with one CONFIG_INVALID', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 200 }),
      documents.map((value) => JSON.stringify(value) ?? ''),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('a.yaml', 'a.json'), (content, file) =>
        onlyConfigErrors(() => parseConfigText(content, file, { env: {} })),
      ),
      { numRuns },
    );
  });

  test('no input changes Object.prototype', () => {
    fc.assert(
      fc.property(documents, (input) => {
        onlyConfigErrors(() => parseConfig(input, { env: {} }));
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(({} as Record<string, unknown>).command).toBeUndefined();
      }),
      { numRuns },
    );
  });

  test('the server name __proto__ is rejected in every position', () => {
    const server = { command: 'x' };
    const named = (json: string) => JSON.parse(json.replace('SERVER', JSON.stringify(server))) as unknown;
    for (const input of [
      named('{"servers": {"__proto__": SERVER}}'),
      named('{"mcpServers": {"__proto__": SERVER}}'),
      named('{"mcp_servers": {"__proto__": SERVER}}'),
      { myai: { toolbox: { mcps: [{ name: '__proto__', mode: 'strict', url: 'https://x.y' }] } } },
    ]) {
      expect(() => parseConfig(input, { env: {} })).toThrow(/the name '__proto__' is not allowed/);
    }
  });

  test('other names of Object.prototype members are valid server names', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'];
    const servers = Object.fromEntries(names.map((name) => [name, { command: 'x', env: { constructor: 'y' } }]));
    const { config } = parseConfig({ servers }, { env: {} });
    expect(config.servers.map((server) => server.name)).toEqual(names);
    expect(() => parseConfig({ servers: { a: { command: 'x', constructor: 1 } } }, { env: {} })).toThrow(/unknown key/);
    const authentication = { type: 'constructor' };
    expect(() => parseConfig({ servers: { a: { url: 'https://x.y', authentication } } }, { env: {} })).toThrow(
      /unknown value/,
    );
  });
});
