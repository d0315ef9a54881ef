import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ToolwharfError } from '../../packages/contract/errors.ts';
import { parseConfig, parseConfigText } from '../../packages/toolwharf/config/load-config.ts';
import { json, key, mutated, parameters } from './arbitraries.ts';

describe('the configuration parser', () => {
  const good = [
    'servers:\n  files:\n    command: node\n    args: [a.js, "b"]\n    env: { KEY: ${HOME} }\n  web: { url: https://example.com/mcp, timeout: 30s }\n',
    'toolbox:\n  naming: mcp\n  maxConcurrent: 5\n  approval: { mode: auto, ask: ["*/write"] }\ngateway:\n  port: 7420\n  retention: { maxAge: 90d }\n',
    JSON.stringify({ mcpServers: { a: { command: 'npx', args: ['-y', 'x'], env: { A: '1' } } } }, null, 2),
    'mcp_servers:\n  - name: a\n    url: http://127.0.0.1/mcp\n    mode: strict\n',
    'a: &a [1, 2]\nb: *a\n',
  ];

  function check(load: () => unknown, isText: boolean): void {
    try {
      expect(load()).toHaveProperty('config.servers');
    } catch (cause) {
      if (!(cause instanceof ToolwharfError)) throw cause;
      expect(cause.code).toBe('CONFIG_INVALID');
      const problems = cause.data.problems as { path: unknown; message: unknown; line?: unknown }[];
      expect(problems.length).toBeGreaterThan(0);
      for (const { path, message: why, line } of problems) {
        expect([typeof path, typeof why]).toEqual(['string', 'string']);
        if (isText) expect(line).toBeTypeOf('number');
      }
    }
  }

  test('any text is parsed or rejected with the location of the error', () => {
    const text = fc.oneof(
      { weight: 4, arbitrary: mutated(good) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
      { weight: 1, arbitrary: json.map((value) => JSON.stringify(value)) },
    );
    fc.assert(
      fc.property(text, fc.constantFrom('toolwharf.yaml', 'toolwharf.json'), (given, file) =>
        check(() => parseConfigText(given, file, { env: {} }), true),
      ),
      parameters,
    );
  });

  test('any value is accepted or rejected with the location of the error', () => {
    const value = fc.oneof(
      json,
      fc.dictionary(
        fc.constantFrom('servers', 'toolbox', 'gateway', 'profiles', 'mcpServers', 'mcp_servers', 'inputs', 'myai'),
        json,
      ),
      fc.record({
        servers: fc.dictionary(
          key,
          fc.dictionary(
            fc.constantFrom('command', 'args', 'url', 'env', 'headers', 'timeout', 'authentication', 'mode', 'tools'),
            json,
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(value, (given) => check(() => parseConfig(given, { env: {} }), false)),
      parameters,
    );
  });
});
