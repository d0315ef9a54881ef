import { expect, test } from 'vitest';
import { createToolSource, textResult } from '../../../test/fixtures/models/tool-source.ts';
import { callFlatTool, flatOmitted, toFlatTools } from './flat.ts';

function parametersOf(parameters: Record<string, unknown>) {
  return toFlatTools(createToolSource([{ name: 'tool', parameters }]))[0]?.parameters;
}

test('a tool is converted to a name and a flat list of parameters [B8]', () => {
  const source = createToolSource([
    {
      name: 'mcp_github_search',
      description: 'Search repositories',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'Search query' },
          sort: { type: 'string', enum: ['stars', 'forks'], default: 'stars' },
        },
        required: ['query'],
      },
    },
  ]);
  expect(toFlatTools(source)).toEqual([
    {
      name: 'mcp_github_search',
      description: 'Search repositories',
      parameters: [
        { name: 'query', type: 'string', description: 'Search query', required: true },
        { name: 'sort', type: 'string', description: '', required: false, default: 'stars', enum: ['stars', 'forks'] },
      ],
    },
  ]);
});

test.each([
  ['a type that may be null', { type: ['string', 'null'] }, 'string'],
  ['a union with null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer'],
  ['several types', { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }, 'string | number'],
  ['a reference', { $ref: '#/$defs/Size' }, 'object'],
  ['a reference to itself', { $ref: '#/properties/value' }, 'any'],
  ['null alone', { type: 'null' }, 'null'],
  ['values without a type', { enum: ['a', 1, 1.5, true, [], null] }, 'string | integer | number | boolean | array'],
  ['nothing', {}, 'any'],
])('the type of %s is described in a few words [B8]', (_, value, type) => {
  const parameters = parametersOf({ type: 'object', properties: { value }, $defs: { Size: { type: 'object' } } });
  expect(parameters?.[0]?.type).toBe(type);
});

test('allowed values, defaults and descriptions are found through references and unions [B8]', () => {
  expect(
    parametersOf({
      type: 'object',
      properties: {
        a: { anyOf: [{ $ref: '#/$defs/Mode' }, { type: 'null' }], default: null },
        b: { anyOf: [{ enum: ['x'] }, { type: 'string' }] },
        c: { anyOf: [{ const: 'x' }, { const: 2 }], title: 'Choice' },
      },
      $defs: { Mode: { type: 'string', enum: ['fast', 'slow'], description: 'How fast', default: 'slow' } },
    }),
  ).toEqual([
    { name: 'a', type: 'string', description: 'How fast', required: false, default: null, enum: ['fast', 'slow'] },
    { name: 'b', type: 'string', description: '', required: false },
    { name: 'c', type: 'string | integer', description: 'Choice', required: false, enum: ['x', 2] },
  ]);
});

test('each definition is read once, regardless of the number of references', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => {
      const next = { $ref: `#/$defs/D${index + 1}` };
      return [`D${index}`, { anyOf: [next, next] }];
    }),
  );
  const properties = { value: { $ref: '#/$defs/D0' } };
  expect(parametersOf({ type: 'object', properties, $defs: { ...$defs, D60: { type: 'number' } } })?.[0]?.type).toBe(
    'number',
  );
});

test('a name of the flat list finds its tool, even if the name was changed to fit [B8] [B9]', async () => {
  const name = `mcp_my_server_${'long '.repeat(20)}name`;
  const source = createToolSource([
    { name, run: ({ q }) => textResult(`found ${q}`) },
    { name: 'b', parameters: { type: 'null' } },
  ]);
  const [tool] = toFlatTools(source);
  expect(tool?.name).toMatch(/^[a-zA-Z0-9_-]{64}$/);
  expect((await callFlatTool(source, tool?.name ?? '', { q: 'it' })).text).toBe('found it');
  expect((await callFlatTool(source, 'mcp_my_server', {})).text).toBe(
    'MCP error: Invalid MCP tool name: mcp_my_server',
  );
  expect(flatOmitted(source).map(({ reason }) => reason)).toEqual(['its input is of type null, not an object']);
});

// Found by fuzzing: JSON can contain objects that cannot be converted to a string.
test('malformed descriptions and types do not throw', () => {
  const odd = JSON.parse('{"toString": 1, "valueOf": {}}');
  const schemas = [
    { type: 'object', properties: { a: { title: odd, description: odd } } },
    { type: 'object', required: [odd], properties: { 'a b': {} } },
    { type: odd },
    { anyOf: [{ type: [odd, 'string'] }, { type: odd }] },
  ];
  for (const schema of schemas) expect(() => parametersOf(schema)).not.toThrow();
});
