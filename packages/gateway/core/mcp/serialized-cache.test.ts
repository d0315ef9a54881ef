import { expect, test } from 'vitest';
import { createSerializedCache } from './serialized-cache.ts';

test('a cached result is created once for its owner and key, and serialized once', () => {
  const cache = createSerializedCache();
  const owner = {};
  let writes = 0;
  const make = () => ({
    tools: [{ name: 'a' }],
    toJSON() {
      writes++;
      return { tools: [{ name: 'a' }] };
    },
  });
  const result = cache.get(owner, 'tools', make);
  expect(cache.get(owner, 'tools', make)).toBe(result);
  expect(cache.get({}, 'tools', make)).not.toBe(result);
  for (const id of [1, 'two']) {
    expect(JSON.parse(cache.stringify({ jsonrpc: '2.0', id, result }))).toEqual({
      jsonrpc: '2.0',
      id,
      result: { tools: [{ name: 'a' }] },
    });
  }
  expect(writes).toBe(1);
});

test('a result derived from a cached result is cached, and one derived from any other is not', () => {
  const cache = createSerializedCache();
  const result = cache.get({}, 'tools', () => ({ tools: [] }));
  const toModern = (plain: object) => () => ({ resultType: 'complete', ...plain });
  expect(cache.derive(result, 'modern', toModern(result))).toBe(cache.derive(result, 'modern', toModern(result)));
  const single = { content: [] };
  expect(cache.derive(single, 'modern', toModern(single))).not.toBe(cache.derive(single, 'modern', toModern(single)));
});

test('a message without a cached result is serialized like any other value', () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'x' },
    { jsonrpc: '2.0', id: 1, error: { code: 1 } },
    { id: 2, result: { a: 1 } },
  ]) {
    expect(createSerializedCache().stringify(message)).toBe(JSON.stringify(message));
  }
});
