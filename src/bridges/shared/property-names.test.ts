import { expect, test } from 'vitest';
import { refuseForeignProperties, renameProperties, restoreProperties } from './property-names.ts';

const schema = {
  type: 'object',
  properties: {
    'filter[id]': { type: 'string' },
    plain: { type: 'array', items: { type: 'object', properties: { $top: { type: 'number' } }, required: ['$top'] } },
  },
  required: ['filter[id]', 'plain'],
  dependentRequired: { plain: ['filter[id]'] },
};

test('names that Anthropic refuses are replaced everywhere they stand', () => {
  const { schema: renamed, originals } = renameProperties(schema);
  const [top, id] = originals.keys();
  expect(id).toMatch(/^filter_id__[0-9a-f]{8}$/);
  expect(top).toMatch(/^_top_[0-9a-f]{8}$/);
  expect(JSON.stringify(renamed)).toBe(
    JSON.stringify(schema).replaceAll('filter[id]', String(id)).replaceAll('$top', String(top)),
  );
});

test('the arguments get their own names back at every depth', () => {
  const { originals } = renameProperties(schema);
  const [top, id] = originals.keys();
  const args = { [String(id)]: 'x', plain: [{ [String(top)]: 5, kept: null }], other: 1 };
  expect(restoreProperties(args, originals)).toEqual({ 'filter[id]': 'x', plain: [{ $top: 5, kept: null }], other: 1 });
});

test('arguments nested without end do no harm', () => {
  const { originals } = renameProperties(schema);
  const args = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(() => restoreProperties(args, originals)).not.toThrow();
});

test('names that fit are left alone', () => {
  const fine = { properties: { 'start-index': {}, 'a.b': {}, constructor: {} } };
  const { schema: renamed, originals } = renameProperties(fine);
  expect(renamed).toEqual(fine);
  expect(originals.size).toBe(0);
});

test('a name too long is cut and stays unique', () => {
  const names = [`${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`];
  const { schema: renamed } = renameProperties({ properties: Object.fromEntries(names.map((name) => [name, {}])) });
  const kept = Object.keys(renamed.properties as object);
  expect(new Set(kept).size).toBe(2);
  expect(kept.every((name) => name.length === 64)).toBe(true);
});

test('without a way back such a name is refused with the reason', () => {
  expect(() => refuseForeignProperties(schema)).toThrow('its property name "$top" is not allowed there');
  expect(refuseForeignProperties({ properties: { a: {} } })).toEqual({ properties: { a: {} } });
});
