import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArgumentRow, argumentsInPath, followPath, newRow, toSchema, toTable } from './argument-table.ts';

const described: Omit<ArgumentRow, 'id'>[] = [
  { name: 'id', type: 'integer', isRequired: true, description: 'Which one', isInQuery: false },
  { name: 'title', type: 'text', isRequired: false, description: '', isInQuery: false },
  { name: 'share', type: 'number', isRequired: false, description: '', isInQuery: false },
  { name: 'isOpen', type: 'boolean', isRequired: true, description: '', isInQuery: true },
  { name: 'tags', type: 'texts', isRequired: false, description: 'Its marks', isInQuery: false },
  { name: 'extra', type: 'any', isRequired: false, description: '', isInQuery: false },
];
const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer', description: 'Which one' },
    title: { type: 'string' },
    share: { type: 'number' },
    isOpen: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' }, description: 'Its marks' },
    extra: {},
  },
  required: ['id', 'isOpen'],
  additionalProperties: false,
};

describe('rows and a JSON Schema', () => {
  test('rows and a JSON Schema convert into each other [R21]', () => {
    expect(toSchema({ rows: described.map((row, id) => ({ id, ...row })), isClosed: true })).toEqual(schema);
    const table = toTable(schema, ['isOpen'], '/things/{id}');
    expect(table?.rows.map(({ id: _id, ...row }) => row)).toEqual(described);
    expect(table?.isClosed).toBe(true);
  });

  test('rows keep whether further arguments are rejected, in any order of keys', () => {
    const open = {
      required: ['b', 'a'],
      properties: { a: {}, b: { description: 'B', type: 'string' } },
      type: 'object',
    };
    const table = toTable(open, [], '/');
    expect(table?.isClosed).toBe(false);
    expect(table && toSchema(table)).toEqual({ ...open, required: ['a', 'b'] });
    expect(toTable({ type: 'object', required: [], additionalProperties: false }, [], '/')?.rows).toEqual([]);
  });

  test('a row without a name is ignored', () => {
    expect(toSchema({ rows: [newRow()], isClosed: false })).toEqual({ type: 'object', properties: {} });
  });

  test.each([
    ['a choice', { properties: { a: { type: 'string', enum: ['x'] } } }],
    ['a limit', { properties: { a: { type: 'integer', minimum: 0 } } }],
    ['a default', { properties: { a: { type: 'string', default: 'x' } } }],
    ['a nested object', { properties: { a: { type: 'object', properties: { b: {} } } } }],
    ['a list of something else', { properties: { a: { type: 'array', items: { type: 'number' } } } }],
    ['a list of anything', { properties: { a: { type: 'array' } } }],
    ['several types', { properties: { a: { type: ['string', 'null'] } } }],
    ['a property that is always right', { properties: { a: true } }],
    ['an empty description', { properties: { a: { description: '' } } }],
    ['an argument without a name', { properties: { '': {} } }],
    ['a reference', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } }],
    ['a title', { properties: {}, title: 'Things' }],
    ['what further arguments are', { properties: {}, additionalProperties: { type: 'string' } }],
    ['that an argument without a row is required', { properties: {}, required: ['a'] }],
    ['no properties but something else', { properties: [] }],
    ['another type', { type: 'array', properties: {} }],
    ['nothing at all', { type: undefined }],
    ['something required that is no list', { properties: {}, required: 'a' }],
    ['an optional part of the path', { properties: { id: { type: 'string' } } }],
  ])('rows cannot express %s [R21]', (_what, part) => {
    expect(toTable({ type: 'object', ...part }, [], '/things/{id}')).toBeUndefined();
  });

  test('every schema that becomes rows converts back unchanged [R21]', () => {
    const property = fc.oneof(
      fc.constantFrom<unknown>({ type: 'string' }, {}, { type: 'array', items: { type: 'string' } }, true),
      fc.record({ type: fc.constantFrom('number', 'integer', 'null'), description: fc.string() }, { requiredKeys: [] }),
      fc.jsonValue(),
    );
    const anySchema = fc.record(
      {
        type: fc.constantFrom('object', 'object', 'object', 'string'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'required', ''), property, { maxKeys: 3 }),
        required: fc.constantFrom<string[]>([], [], ['a'], ['b', 'a'], ['']),
        additionalProperties: fc.constantFrom(false, false, true, {}),
      },
      { requiredKeys: ['type', 'properties', 'required'] },
    );
    let became = 0;
    fc.assert(
      fc.property(anySchema, (given) => {
        const table = toTable(given, [], '/');
        if (!table) return;
        became += 1;
        const { required, ...rest } = toSchema(table);
        const { required: wanted, ...others } = given;
        expect(rest).toEqual(others);
        expect(new Set((required ?? []) as string[])).toEqual(new Set(wanted));
      }),
      { numRuns: 1_000 },
    );
    expect(became).toBeGreaterThan(10);
  });
});

test('the arguments of a path are the distinct names in braces', () => {
  expect(argumentsInPath('/a/{b}/c-{d}.json/{b}')).toEqual(['b', 'd']);
  for (const path of ['', '/a', '/{}', '/{a', '/a}', '/{a/b}']) expect(argumentsInPath(path)).toEqual([]);
});

describe('a changed path', () => {
  const names = (rows: readonly ArgumentRow[]) => rows.map(({ name }) => name);
  const text = { ...newRow('q'), description: 'What to look for' };

  test('new path arguments become required texts before the others', () => {
    const rows = followPath([text], '/', '/a/{x}/{y}');
    expect(names(rows)).toEqual(['x', 'y', 'q']);
    expect(rows[0]).toMatchObject({ type: 'text', isRequired: true });
    expect(names(followPath(rows, '/a/{x}/{y}', '/a/{x}/{z}/{y}'))).toEqual(['x', 'y', 'z', 'q']);
  });

  test('an existing argument in the path becomes required', () => {
    expect(followPath([text], '/', '/{q}')).toEqual([{ ...text, isRequired: true }]);
  });

  test('an argument that leaves the path is removed unless it was edited', () => {
    const rows = followPath([], '/', '/{x}/{y}');
    const told = rows.map((row) => (row.name === 'y' ? { ...row, type: 'integer' as const } : row));
    expect(names(followPath(told, '/{x}/{y}', '/'))).toEqual(['y']);
  });

  test('an argument renamed in the path keeps its row', () => {
    const rows = [{ ...newRow('id'), isRequired: true, description: 'Whose' }, text];
    const renamed = followPath(rows, '/{id}', '/{ids}');
    expect(renamed).toEqual([{ ...rows[0], name: 'ids' }, text]);
    // A taken name is not used twice.
    expect(names(followPath(rows, '/{id}', '/{q}'))).toEqual(['id', 'q']);
  });
});
