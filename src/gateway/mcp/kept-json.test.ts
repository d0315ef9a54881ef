import { expect, test } from 'vitest';
import { keepAs, keepFor, toJson } from './kept-json.ts';

test('a kept result is made once for its owner and written once, and reads back the same', () => {
  const owner = {};
  let writes = 0;
  const make = () => ({
    tools: [{ name: 'a' }],
    toJSON() {
      writes++;
      return { tools: [{ name: 'a' }] };
    },
  });
  const result = keepFor(owner, 'tools', make);
  expect(keepFor(owner, 'tools', make)).toBe(result);
  expect(keepFor({}, 'tools', make)).not.toBe(result);
  for (const id of [1, 'two']) {
    expect(JSON.parse(toJson({ jsonrpc: '2.0', id, result }))).toEqual({
      jsonrpc: '2.0',
      id,
      result: { tools: [{ name: 'a' }] },
    });
  }
  expect(writes).toBe(1);
});

test('what is made of a kept result is kept, what is made of another is not', () => {
  const result = keepFor({}, 'tools', () => ({ tools: [] }));
  const dress = (plain: object) => () => ({ resultType: 'complete', ...plain });
  expect(keepAs(result, 'modern', dress(result))).toBe(keepAs(result, 'modern', dress(result)));
  const single = { content: [] };
  expect(keepAs(single, 'modern', dress(single))).not.toBe(keepAs(single, 'modern', dress(single)));
});

test('other messages are written as they are', () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'x' },
    { jsonrpc: '2.0', id: 1, error: { code: 1 } },
    { id: 2, result: { a: 1 } },
  ]) {
    expect(toJson(message)).toBe(JSON.stringify(message));
  }
});
