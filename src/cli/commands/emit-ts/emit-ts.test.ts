import { expect, test } from 'vitest';
import { toModule } from './emit-ts.ts';
import { schemaToType } from './schema-to-type.ts';

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: 'x' }, '"x"'],
  [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'string | boolean'],
  [{ type: 'array', items: { type: 'number' } }, 'readonly (number)[]'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'Readonly<Record<string, number>>'],
  [{ type: 'object', additionalProperties: false }, 'Readonly<Record<string, never>>'],
  [
    { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
    '{ readonly a: string; readonly "b-c"?: unknown }',
  ],
  [{ $ref: '#/$defs/x', $defs: { x: { type: 'boolean' } } }, 'boolean'],
  [{ $ref: '#/__proto__' }, 'unknown'],
  [true, 'unknown'],
])('the type of the schema %j is %s', (schema, type) => {
  expect(schemaToType(schema)).toBe(type);
});

test('a circular schema ends as unknown', () => {
  expect(schemaToType({ $ref: '#' })).toBe('unknown');
});

test('text of a server cannot end a comment or a string of the generated module', () => {
  const tool = {
    name: 'mcp_a_b',
    server: "a'; evil();",
    originalName: 'b": evil(), "c',
    description: 'x */ evil(); /*',
    parameters: { type: 'object', properties: { '`${evil()}`': { const: '`${evil()}`' } } },
    definitionHash: '',
    limits: { maxInstances: 1, timeoutMs: 1 },
  };
  const text = toModule([tool], 'http://127.0.0.1:7420');
  expect(text).toContain('/** x * / evil(); /* */');
  expect(text).toContain('"a\'; evil();": {');
  expect(text).toContain('"b\\": evil(), \\"c": (args:');
});
