import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToolDefinition } from '../kernel/tool.ts';
import { diffDefinitions } from './definition-diff.ts';
import { definitionHash } from './definition-hash.ts';

const before: ToolDefinition = {
  name: 'get_user',
  description: 'Reads a user',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string' }, 'a/b~c': { type: 'number' } },
    required: ['id'],
    anyOf: [{ minProperties: 1 }, { maxProperties: 9 }],
  },
};

test('equal definitions have no differences, regardless of the order of their keys', () => {
  expect(diffDefinitions(before, structuredClone(before))).toEqual([]);
  expect(diffDefinitions(before, { ...before, _meta: { x: 1 } })).toEqual([]);
});

test('a difference has a JSON pointer and both values', () => {
  const after: ToolDefinition = {
    name: 'get_user',
    description: 'Reads a user and mails it',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, 'a/b~c': { type: 'string' }, to: { type: 'string' } },
      required: ['id', 'to'],
      anyOf: [{ minProperties: 1 }, { maxProperties: 10 }],
    },
    annotations: { readOnlyHint: true },
  };
  expect(diffDefinitions(before, after)).toEqual([
    { path: '/description', kind: 'changed', before: 'Reads a user', after: 'Reads a user and mails it' },
    { path: '/inputSchema/properties/a~1b~0c/type', kind: 'changed', before: 'number', after: 'string' },
    { path: '/inputSchema/properties/to', kind: 'added', after: { type: 'string' } },
    { path: '/inputSchema/required', kind: 'changed', before: ['id'], after: ['id', 'to'] },
    { path: '/inputSchema/anyOf/1/maxProperties', kind: 'changed', before: 9, after: 10 },
    { path: '/annotations', kind: 'added', after: { readOnlyHint: true } },
  ]);
});

test('a removed part is reported as removed', () => {
  const { description: _description, ...without } = before;
  expect(diffDefinitions(before, without)).toEqual([{ path: '/description', kind: 'removed', before: 'Reads a user' }]);
});

test('a part with many differences is reported as one change', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { type: 'string' }]));
  const changes = diffDefinitions(before, { ...before, inputSchema: { type: 'object', properties: many } });
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ path: '/inputSchema', kind: 'changed' });
  expect(JSON.stringify(changes).length).toBeLessThan(10_000);
});

test('long values are shortened and marked', () => {
  const [change] = diffDefinitions(before, { ...before, description: 'x'.repeat(100_000) });
  expect(change?.after).toMatch(/^x{2000}… \(100000 characters\)$/);
});

test('deeply nested schemas are compared as a whole below a depth limit', () => {
  const nest = (leaf: unknown) => {
    let schema: Record<string, unknown> = { const: leaf };
    for (let depth = 0; depth < 100; depth++) schema = { not: schema };
    return schema;
  };
  const changes = diffDefinitions({ ...before, inputSchema: nest(1) }, { ...before, inputSchema: nest(2) });
  expect(changes).toHaveLength(1);
  expect(changes[0]?.path).toBe(`/inputSchema${'/not'.repeat(32)}`);
});

test('there are differences exactly when the hashes differ', () => {
  const schema = fc.dictionary(
    fc.constantFrom('type', 'enum', 'properties', '__proto__'),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const definition = fc.record({ name: fc.constant('t'), description: fc.constantFrom('a', 'b'), inputSchema: schema });
  fc.assert(
    fc.property(definition, definition, (one, other) => {
      expect(diffDefinitions(one, other).length > 0).toBe(definitionHash(one) !== definitionHash(other));
    }),
  );
});
