import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressTools, omittedTools, type ToolLike, toPlainSchema } from './express-tools.ts';
import { anthropicRules, anyProviderRules, geminiRules, openAIRules } from './provider-rules.ts';

const allRules = Object.entries({ anthropicRules, anyProviderRules, geminiRules, openAIRules });

test('a tool that cannot be expressed is omitted with a reason, and the others are offered', () => {
  const tools: ToolLike[] = [
    { name: 'good', parameters: { type: 'object' } },
    { name: 'text', parameters: { type: 'string' } },
    { name: 'lost', inputSchema: { properties: { a: { $ref: '#/$defs/Gone' } } } },
    { name: 'good', parameters: { type: 'object' } },
    { name: 'bare' },
  ];
  expect(expressTools(tools, openAIRules).map(({ name }) => name)).toEqual(['good', 'bare']);
  expect(omittedTools(tools, openAIRules)).toEqual([
    { tool: tools[1], reason: 'its input is of type string, not an object' },
    { tool: tools[2], reason: 'its input schema refers to #/$defs/Gone, which it does not contain' },
    { tool: tools[3], reason: 'its name is taken by "good"' },
  ]);
});

test('an unexpected failure of one tool does not affect the others', () => {
  const odd = {
    name: 'odd',
    get parameters(): never {
      throw new TypeError('gone');
    },
  };
  expect(omittedTools([odd, { name: 'good' }], openAIRules)).toEqual([
    { tool: odd, reason: 'it cannot be expressed: gone' },
  ]);
  expect(expressTools([odd, { name: 'good' }], openAIRules).map(({ name }) => name)).toEqual(['good']);
});

test('tools are limited in number only if a limit is given, and the omitted ones are reported', () => {
  const tools = Array.from({ length: 200 }, (_, index) => ({ name: `tool_${index}` }));
  expect(expressTools(tools, openAIRules)).toHaveLength(200);
  expect(expressTools(tools, openAIRules, { maxTools: 128 })).toHaveLength(128);
  expect(omittedTools(tools, openAIRules, { maxTools: 128 })).toHaveLength(72);
  expect(omittedTools(tools, openAIRules, { maxTools: 128 })[0]).toEqual({
    tool: tools[128],
    reason: 'only the first 128 tools are offered',
  });
});

test('a constraint that the schema cannot express is in the description, and a title replaces a missing description', () => {
  const [tool] = expressTools(
    [{ name: 'a', title: 'Find', parameters: { anyOf: [{ required: ['x'] }] } }],
    openAIRules,
  );
  expect(tool?.description).toBe(
    'Find\n\nThe arguments must also match this JSON Schema: {"anyOf":[{"required":["x"]}]}',
  );
});

// Shapes that real servers send and at least one provider rejects.
const realSchemas = {
  'draft-04 bounds in a draft-07 schema': {
    type: 'object',
    properties: { pages: { type: 'array', items: { type: 'integer', exclusiveMinimum: true, minimum: 0 } } },
    $schema: 'http://json-schema.org/draft-07/schema#',
  },
  'a tree that refers to one of its properties': {
    type: 'object',
    properties: {
      data: {
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/properties/data' } } },
        required: ['name'],
      },
    },
  },
  'a number that may be undefined or null': {
    type: 'object',
    properties: { bins: { anyOf: [{ type: 'number' }, { not: {} }, { type: 'null' }], default: null } },
  },
  'one of two required arguments': {
    type: 'object',
    properties: { route: { type: 'string' }, file: { type: 'string' } },
    anyOf: [{ required: ['route'] }, { required: ['file'] }],
  },
  'no properties at all': { type: 'object' },
};

test.each(allRules)('schemas of real servers can be expressed: %s [A1]', (_, rules) => {
  const tools = Object.entries(realSchemas).map(([name, inputSchema]) => ({ name, inputSchema }));
  expect(omittedTools(tools, rules)).toEqual([]);
  for (const { schema } of expressTools(tools, rules)) {
    expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) });
    expect(JSON.stringify(schema)).not.toMatch(/\$schema|exclusiveMinimum":true|"#\/properties|"not":\{\}/);
  }
});

const keyword = fc.constantFrom(
  ...['$defs', '$ref', 'additionalProperties', 'allOf', 'anyOf', 'const', 'definitions', 'dependencies', 'enum'],
  ...[
    'exclusiveMinimum',
    'if',
    'items',
    'minimum',
    'not',
    'oneOf',
    'pattern',
    'properties',
    'required',
    'then',
    'type',
  ],
  ...['a', '__proto__'],
);
const { schema: anySchema } = fc.letrec((tie) => ({
  schema: fc.dictionary(keyword, tie('value'), { maxKeys: 5 }),
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('object', 'string', '#', '#/$defs/a', '#/properties/a', '[', 'a', 5, true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('schema'),
  ),
}));

test.each(allRules)('any schema of a server results in a valid request: %s', (_, rules) => {
  fc.assert(
    fc.property(anySchema, (inputSchema) => {
      const tools = [{ name: 'any', inputSchema: inputSchema as ToolLike['inputSchema'] }, { name: 'good' }];
      const expressed = expressTools(tools, rules);
      expect(expressed.at(-1)?.name).toBe('good');
      expect(expressed.length + omittedTools(tools, rules).length).toBe(2);
      for (const { schema } of expressed) {
        expect(schema.type).toBe('object');
        for (const refused of ['allOf', 'anyOf', 'const', 'enum', 'not', 'oneOf', '$ref', '$schema'])
          expect(Object.hasOwn(schema, refused)).toBe(false);
        const text = JSON.stringify(schema);
        if (rules.dialect === 'gemini') expect(text).not.toContain('"$ref":"');
      }
    }),
    { numRuns: 500 },
  );
});

test('a schema is copied, so later changes have no effect', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const plain = toPlainSchema(schema);
  schema.properties.a.type = 'number';
  expect(plain).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
});

test('a circular or too deeply nested schema is rejected with the reason', () => {
  const circle: Record<string, unknown> = { type: 'object' };
  circle.properties = { self: circle };
  expect(() => toPlainSchema(circle)).toThrow('nested deeper than 64 levels');
  const nested = (levels: number): object => (levels === 1 ? {} : { not: nested(levels - 1) });
  expect(() => toPlainSchema(nested(64))).not.toThrow();
  expect(() => toPlainSchema(nested(65))).toThrow('nested deeper than 64 levels');
});

test('a schema that is not JSON, or larger than 256 kB, is rejected with the reason', () => {
  expect(() => toPlainSchema({ default: 1n })).toThrow('cannot be written as JSON');
  expect(() => toPlainSchema({ description: 'x'.repeat(256 * 1024) })).toThrow('too large: 257 kB, at most 256 kB');
  expect(() => toPlainSchema([])).toThrow('not an object');
});
