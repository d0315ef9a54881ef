import { expect, test } from 'vitest';
import type { JsonObject } from '../../contract/json.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { hideSecrets } from './hide-secrets.ts';
import { createLargeResults } from './large-results.ts';
import { resolveReferences } from './references.ts';

const outputSchema = {
  type: 'object',
  properties: {
    user: { type: 'string' },
    token: { type: 'string', writeOnly: true },
    keys: { type: 'array', items: { $ref: '#/$defs/Key' } },
    '*': { type: 'string', format: 'password' },
    more: { type: 'object', additionalProperties: { anyOf: [{ format: 'password' }, { type: 'null' }] } },
  },
  $defs: { Key: { type: 'object', properties: { id: { type: 'string' }, value: { format: 'password' } } } },
};
const value = {
  user: 'ada',
  token: 'secret-1',
  keys: [{ id: 'a', value: 'secret-2' }, { id: 'b' }],
  '*': 'secret-3',
  more: { 'a/b': 'secret-4', none: null },
};

function hide(raw: JsonObject, schema: JsonObject | undefined = outputSchema, isSecret = false) {
  const store = createLargeResults();
  const entry = { definition: { outputSchema: schema } } as unknown as CatalogEntry;
  const shown = hideSecrets(raw, entry, { callId: 'c1', caller: 'ada', store, isSecret: () => isSecret });
  return { shown, find: async (id: string, caller: string) => store.find(id, caller) };
}

test('values that the output schema marks as secret become references, in the structure and in the text', async () => {
  const { shown, find } = hide({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
  expect(shown.structuredContent).toEqual({
    user: 'ada',
    token: 'toolwharf-secret:c1#/token',
    keys: [{ id: 'a', value: 'toolwharf-secret:c1#/keys/0/value' }, { id: 'b' }],
    '*': 'toolwharf-secret:c1#/*',
    more: { 'a/b': 'toolwharf-secret:c1#/more/a~1b', none: null },
  });
  expect(JSON.stringify(shown)).not.toContain('secret-');
  expect(JSON.parse((shown.content as JsonObject[])[0]?.text as string)).toEqual(shown.structuredContent);
  expect((await resolveReferences(shown.structuredContent as JsonObject, 'ada', find)).values).toEqual(value);
  await expect(resolveReferences(shown.structuredContent as JsonObject, 'bob', find)).rejects.toMatchObject({
    code: 'ARGUMENTS_INVALID',
  });
});

test('a result without the promised structure is secret as a whole', () => {
  const { shown } = hide({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  expect(shown.structuredContent).toEqual({ ref: 'toolwharf-secret:c1', type: 'text', size: expect.any(Number) });
});

test('a result without secrets, and an error, are returned as the same object', () => {
  const plain = { content: [], structuredContent: { user: 'ada' } };
  expect(hide(plain, { type: 'object' }).shown).toBe(plain);
  const failed = { content: [{ type: 'text', text: 'no such user' }], isError: true };
  expect(hide(failed, outputSchema, true).shown).toBe(failed);
});

test('a circular schema is searched to a limited depth', () => {
  const circular = { type: 'object', properties: { next: { $ref: '#' }, token: { format: 'password' } } };
  const { shown } = hide({ structuredContent: { next: { next: { token: 'secret-1' } } } }, circular);
  expect(JSON.stringify(shown)).not.toContain('secret-1');
});

const credentials = { type: 'object', properties: { user: {}, token: { type: 'string', format: 'password' } } };
const nested = (depth: number): JsonObject =>
  depth === 0 ? credentials : { type: 'object', properties: { next: nested(depth - 1) } };
const nestedValue = (depth: number): JsonObject =>
  depth === 0 ? { user: 'ada', token: 'hush' } : { next: nestedValue(depth - 1) };
const flat = { user: 'ada', token: 'hush' };

test.each<[string, JsonObject, JsonObject]>([
  ['a $ref at the root', { $ref: '#/$defs/C', $defs: { C: credentials } }, flat],
  ['a $ref in allOf at the root', { allOf: [{ $ref: '#/definitions/C' }], definitions: { C: credentials } }, flat],
  ['a $ref to a $ref', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: credentials } }, flat],
  ['oneOf', { oneOf: [{ type: 'object' }, credentials] }, flat],
  ['if and then', { if: true, ...JSON.parse(`{"then":${JSON.stringify(credentials)}}`) }, flat],
  ['else', { if: false, else: credentials }, flat],
  ['dependentSchemas', { dependentSchemas: { user: credentials } }, flat],
  ['dependencies', { dependencies: { user: credentials } }, flat],
  ['patternProperties', { patternProperties: { '^tok': { writeOnly: true } } }, flat],
  ['a pattern that is not compared', { patternProperties: { '(?<=x)|t.k': { writeOnly: true } } }, flat],
  ['additionalProperties', { properties: { user: {} }, additionalProperties: { format: 'password' } }, flat],
  ['unevaluatedProperties', { unevaluatedProperties: { format: 'password' } }, flat],
  ['prefixItems', { properties: { a: { prefixItems: [{}, { format: 'password' }] } } }, { a: ['x', 'hush'] }],
  ['items after prefixItems', { properties: { a: { prefixItems: [{}], items: credentials } } }, { a: [1, flat] }],
  ['items as a list', { properties: { a: { items: [{}, { writeOnly: true }] } } }, { a: ['x', 'hush'] }],
  ['additionalItems', { properties: { a: { items: [{}], additionalItems: credentials } } }, { a: [1, flat] }],
  ['contains', { properties: { a: { contains: { format: 'password' } } } }, { a: ['hush'] }],
  ['an $anchor', { $ref: '#c', $defs: { C: { $anchor: 'c', ...credentials } } }, flat],
  ['an $id as an anchor', { $ref: '#c', definitions: { C: { $id: '#c', ...credentials } } }, flat],
  [
    'a $dynamicRef',
    { $dynamicRef: '#c', $defs: { C: { $dynamicAnchor: 'c' }, D: { $dynamicAnchor: 'c', ...credentials } } },
    flat,
  ],
  ['a $recursiveRef', { properties: { ...credentials.properties, next: { $recursiveRef: '#' } } }, { next: flat }],
  [
    'a schema with its own $id',
    {
      $ref: 'https://example.com/c',
      $defs: { C: { $id: 'https://example.com/c', $ref: '#/$defs/D', $defs: { D: credentials } } },
    },
    flat,
  ],
  ['definitions in an unusual keyword', { $ref: '#/x-schemas/default', 'x-schemas': { default: credentials } }, flat],
  ['a property called default', { properties: { default: { format: 'password' } } }, { default: 'hush' }],
  ['a reference to another document', { $ref: 'https://example.com/other.json' }, flat],
  ['a reference to nothing', { properties: { token: { $ref: '#/$defs/Missing' } } }, flat],
  ['a secret below 40 levels', nested(40), nestedValue(40)],
  ['a circular list', { properties: { ...credentials.properties, next: { $ref: '#' } } }, nestedValue(40)],
  ['a circular $ref', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A', ...credentials } } }, flat],
  ['a text that contains a document', { properties: { token: { contentSchema: credentials } } }, flat],
  ['secret names of members', { propertyNames: { format: 'password' } }, { hush: 1 }],
  ['the whole value', { type: 'object', writeOnly: true }, flat],
  [
    'too many schemas',
    { properties: Object.fromEntries(Array.from({ length: 100_001 }, (_, n) => [`p${n}`, {}])) },
    flat,
  ],
])('a secret is hidden with %s in the output schema [O7]', (_name, schema, structuredContent) => {
  const text = JSON.stringify(structuredContent);
  const { shown } = hide({ content: [{ type: 'text', text }], structuredContent }, schema);
  expect(JSON.stringify(shown)).not.toContain('hush');
  expect(JSON.stringify(shown)).toContain('toolwharf-secret:c1');
});

test('members that a schema describes and does not mark stay', () => {
  const schema = { $ref: '#/$defs/C', $defs: { C: credentials }, patternProperties: { '^s_': { writeOnly: true } } };
  const { shown } = hide({ structuredContent: { ...flat, s_a: 1, other: { token: 'x' } } }, schema);
  expect(shown.structuredContent).toEqual({
    user: 'ada',
    token: 'toolwharf-secret:c1#/token',
    s_a: 'toolwharf-secret:c1#/s_a',
    other: { token: 'x' },
  });
});
