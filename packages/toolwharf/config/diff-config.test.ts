import { describe, expect, test } from 'vitest';
import { diffServers } from './diff-config.ts';
import { parseConfig } from './load-config.ts';

const config = (servers: object) => parseConfig({ servers }, { env: {} }).config;
const names = (servers: readonly { readonly name: string }[]) => servers.map((server) => server.name);

describe('the difference between two configurations', () => {
  test('the difference between two configurations is reported per server, so only changed servers reconnect [M15]', () => {
    const before = config({
      same: { command: 'a', env: { X: '1', Y: '2' } },
      edited: { command: 'a', args: ['1'] },
      gone: { command: 'a' },
      moved: { command: 'a' },
    });
    const after = config({
      fresh: { command: 'a' },
      edited: { command: 'a', args: ['2'] },
      same: { env: { Y: '2', X: '1' }, command: 'a' },
      moved: { url: 'https://example.com/mcp' },
    });
    const difference = diffServers(before, after);
    expect(names(difference.added)).toEqual(['fresh']);
    expect(names(difference.removed)).toEqual(['gone']);
    expect(names(difference.changed)).toEqual(['edited', 'moved']);
    expect(names(difference.unchanged)).toEqual(['same']);
    expect(difference.changed[0]?.target).toMatchObject({ args: ['2'] });
  });

  test('the difference between two configurations treats an explicit default as unchanged', () => {
    const difference = diffServers(
      config({ a: { command: 'x' } }),
      config({ a: { command: 'x', timeout: '30s', enabled: true } }),
    );
    expect(names(difference.unchanged)).toEqual(['a']);
  });

  test('the difference between two configurations handles servers named like members of Object.prototype', () => {
    const difference = diffServers(config({}), config({ constructor: { command: 'x' }, toString: { command: 'x' } }));
    expect(names(difference.added)).toEqual(['constructor', 'toString']);
  });
});
