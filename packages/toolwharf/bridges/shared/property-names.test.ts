import { expect, test } from 'vitest';
import { assertPortableProperties, renameProperties, restoreProperties } from './property-names.ts';

const schema = {
  type: 'object',
  properties: {
    'filter[id]': { type: 'string' },
    plain: { type: 'array', items: { type: 'object', properties: { $top: { type: 'number' } }, required: ['$top'] } },
  },
  required: ['filter[id]', 'plain'],
  dependentRequired: { plain: ['filter[id]'] },
};

test('property names that Anthropic rejects are replaced everywhere', () => {
  const { schema: renamed, originals } = renameProperties(schema);
  const [top, id] = originals.keys();
  expect(id).toMatch(/^filter_id__[0-9a-f]{8}$/);
  expect(top).toMatch(/^_top_[0-9a-f]{8}$/);
  expect(JSON.stringify(renamed)).toBe(
    JSON.stringify(schema).replaceAll('filter[id]', String(id)).replaceAll('$top', String(top)),
  );
});

test('the original property names are restored in arguments at every depth', () => {
  const { originals } = renameProperties(schema);
  const [top, id] = originals.keys();
  const args = { [String(id)]: 'x', plain: [{ [String(top)]: 5, kept: null }], other: 1 };
  expect(restoreProperties(args, originals)).toEqual({ 'filter[id]': 'x', plain: [{ $top: 5, kept: null }], other: 1 });
});

test('very deeply nested arguments do not overflow the stack', () => {
  const { originals } = renameProperties(schema);
  const args = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(() => restoreProperties(args, originals)).not.toThrow();
});

test('valid property names are unchanged', () => {
  const fine = { properties: { 'start-index': {}, 'a.b': {}, constructor: {} } };
  const { schema: renamed, originals } = renameProperties(fine);
  expect(renamed).toEqual(fine);
  expect(originals.size).toBe(0);
});

test('a property name that is too long is shortened and stays unique', () => {
  const names = [`${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`];
  const { schema: renamed } = renameProperties({ properties: Object.fromEntries(names.map((name) => [name, {}])) });
  const kept = Object.keys(renamed.properties as object);
  expect(new Set(kept).size).toBe(2);
  expect(kept.every((name) => name.length === 64)).toBe(true);
});

test('assertPortableProperties rejects such a name with the reason', () => {
  expect(() => assertPortableProperties(schema)).toThrow('its property name "$top" is not allowed there');
  expect(assertPortableProperties({ properties: { a: {} } })).toEqual({ properties: { a: {} } });
});
