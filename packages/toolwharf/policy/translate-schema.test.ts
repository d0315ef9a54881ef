import { expect, test } from 'vitest';
import { createReferences } from './translate-schema.ts';

const item = { type: 'string' };
const node = { $anchor: 'node', type: 'object' };
const embedded = {
  $id: 'other.json',
  $defs: { inner: { type: 'number' } },
  properties: { a: { $ref: '#/$defs/inner' } },
};
const root = {
  $id: 'https://tools.example/schema.json',
  $defs: { item, 'a/b ~c%': item, node, embedded, old: { $id: '#old', type: 'null' } },
  properties: { x: { $ref: '#/$defs/item' } },
  enum: [{ $id: 'https://tools.example/data.json' }],
};
const references = createReferences(root);
const target = (reference: string, from = root.properties.x as Record<string, unknown>) => {
  const found = references.resolve(reference, from);
  return found.ok ? found.target : found.reason;
};

test('references to the root, pointers, anchors and embedded documents are resolved within the schema', () => {
  expect(target('#')).toBe(root);
  expect(target('#/$defs/item')).toBe(item);
  expect(target('#/$defs/a~1b%20~0c%25')).toBe(item);
  expect(target('#node')).toBe(node);
  expect(target('#old')).toBe(root.$defs.old);
  expect(target('https://tools.example/schema.json')).toBe(root);
  expect(target('schema.json#/$defs/item')).toBe(item);
  expect(target('other.json#/$defs/inner')).toBe(embedded.$defs.inner);
  expect(target('#/$defs/inner', embedded.properties.a)).toBe(embedded.$defs.inner);
});

test.each([
  'https://example.com/schema.json',
  'http://json-schema.org/draft-07/schema#',
  'file:///etc/passwd',
  'definitions.json',
  '//evil.example/x',
])('%s is outside of the schema and is not fetched', (reference) => {
  expect(target(reference)).toBe('points outside the schema, and nothing is fetched');
});

test('a reference to a missing part points to nothing, including names of Object.prototype members', () => {
  for (const reference of ['#/$defs/missing', '#nowhere', '#/__proto__', '#/constructor', '#/$defs/item/type/length'])
    expect(target(reference)).toBe('points to nothing');
});

test('data inside a schema does not define reference targets', () => {
  expect(target('https://tools.example/data.json')).toContain('outside');
});

test('a malformed escape or URL does not throw', () => {
  expect(target('#/%E0%A4%A')).toBe('points to nothing');
  expect(target('http://[')).toBe('is not a reference that can be followed');
});
