import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readOpenApi } from './read-openapi.ts';

const document = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Pets', version: '2' },
  paths,
  ...more,
});
const only = (paths: object, more?: object) => {
  const { tools, skipped } = readOpenApi(document(paths, more));
  expect(skipped).toEqual([]);
  expect(tools).toHaveLength(1);
  return tools[0] ?? expect.fail('there is none');
};
const reasonOf = (operation: object, more?: object) =>
  readOpenApi(document({ '/a': { post: operation } }, more)).skipped[0]?.reason;
const body = (schema: object, type = 'application/json') => ({ required: true, content: { [type]: { schema } } });

describe('reading an OpenAPI document', () => {
  test('an operation becomes a tool with one argument per parameter and one for the body [R21]', () => {
    const tool = only({
      '/owners/{owner}/pets': {
        parameters: [
          { name: 'owner', in: 'path', required: true, schema: { type: 'string' }, description: 'Whose' },
          { name: 'trace', in: 'header', schema: { type: 'string' } },
        ],
        post: {
          operationId: 'addPet',
          summary: 'Add a pet',
          description: 'Adds a pet to an owner.',
          parameters: [{ name: 'dry', in: 'query', required: true, schema: { type: 'boolean' } }],
          requestBody: body({ type: 'object', properties: { name: { type: 'string' } } }),
        },
      },
    });
    expect(tool.definition).toEqual({
      name: 'addPet',
      title: 'Add a pet',
      description: 'Adds a pet to an owner.',
      inputSchema: {
        type: 'object',
        properties: {
          owner: { type: 'string', description: 'Whose' },
          trace: { type: 'string' },
          dry: { type: 'boolean' },
          body: { type: 'object', properties: { name: { type: 'string' } } },
        },
        required: ['owner', 'dry', 'body'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    });
    expect(tool).toMatchObject({ method: 'POST', path: '/owners/{owner}/pets', body: { argument: 'body' } });
  });

  test('documents of all versions are read, including Swagger 2.0', () => {
    const swagger = readOpenApi({
      swagger: '2.0',
      info: { title: 'Old', version: '1' },
      paths: {
        '/pets': {
          get: {
            operationId: 'list',
            parameters: [{ name: 'tag', in: 'query', type: 'array', items: { type: 'string' } }],
          },
          post: {
            operationId: 'add',
            parameters: [{ name: 'pet', in: 'body', schema: { $ref: '#/definitions/Pet' } }],
          },
        },
      },
      definitions: { Pet: { type: 'object' } },
    });
    expect(swagger.tools.map(({ definition }) => definition.inputSchema)).toMatchObject([
      { properties: { tag: { type: 'array', items: { type: 'string' } } } },
      { properties: { body: { $ref: '#/$defs/Pet' } }, $defs: { Pet: { type: 'object' } } },
    ]);
    const [three] = readOpenApi({
      ...document({
        '/a': { get: { parameters: [{ name: 'n', in: 'query', schema: { type: 'string', nullable: true } }] } },
      }),
      openapi: '3.0.3',
    }).tools;
    expect(three?.definition.inputSchema.properties).toEqual({ n: { type: ['string', 'null'] } });
  });

  test('an operation without an id is named after its method and path, and duplicate names get a number', () => {
    const { tools } = readOpenApi(
      document({
        '/pets/{id}': { parameters: [{ name: 'id', in: 'path', schema: {} }], get: {}, delete: { deprecated: true } },
        '/a': { get: { operationId: 'find pets!' }, put: { operationId: 'find_pets' } },
      }),
    );
    expect(tools.map(({ definition }) => definition.name)).toEqual([
      'get_pets_id',
      'delete_pets_id',
      'find_pets',
      'find_pets_2',
    ]);
    expect(tools[1]?.definition.description).toBe('Deprecated. DELETE /pets/{id}');
  });

  test('a tool schema contains the definitions it refers to, including recursive ones', () => {
    const { inputSchema } = only(
      { '/a': { post: { requestBody: { $ref: '#/components/requestBodies/Tree' } } } },
      {
        components: {
          requestBodies: { Tree: body({ $ref: '#/components/schemas/Tree' }) },
          schemas: {
            Tree: {
              type: 'object',
              xml: { name: 'tree' },
              required: ['id', 'leaf'],
              properties: {
                id: { type: 'string', readOnly: true },
                leaf: { $ref: '#/components/schemas/a~1b' },
                children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
                example: { type: 'string', example: 'x', default: { $ref: 'data' } },
              },
            },
            'a/b': { enum: ['x'] },
            Unused: {},
          },
        },
      },
    ).definition;
    expect(inputSchema).toMatchObject({ properties: { body: { $ref: '#/$defs/Tree' } } });
    expect(inputSchema.$defs).toEqual({
      Tree: {
        type: 'object',
        required: ['leaf'],
        properties: {
          leaf: { $ref: '#/$defs/a_1b' },
          children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
          example: { type: 'string', default: { $ref: 'data' } },
        },
      },
      a_1b: { enum: ['x'] },
    });
  });

  test('parameters of the same name in two locations become two arguments, and headers that we set are left out', () => {
    const tool = only({
      '/a/{id}': {
        post: {
          parameters: [
            { name: 'id', in: 'path', schema: { type: 'string' } },
            { name: 'id', in: 'query', schema: { type: 'integer' } },
            { name: 'body', in: 'query', schema: {} },
            { name: 'Authorization', in: 'header', schema: { type: 'string' } },
            { name: 'Accept', in: 'header', schema: { type: 'string' } },
          ],
          requestBody: body({}),
        },
      },
    });
    expect(Object.keys(tool.definition.inputSchema.properties as object)).toEqual([
      'id',
      'id_query',
      'body',
      'request_body',
    ]);
    expect(tool.parameters.map((parameter) => parameter.argument)).toEqual(['id', 'id_query', 'body']);
    expect(tool.body?.argument).toBe('request_body');
  });

  test('an operation that cannot be called is skipped with the reason, and the others are offered', () => {
    expect(reasonOf({ requestBody: body({}, 'multipart/form-data') })).toBe('its body must be multipart/form-data');
    expect(reasonOf({ requestBody: body({ $ref: 'other.json#/Pet' }) })).toBe(
      'it refers to another document: other.json#/Pet',
    );
    expect(reasonOf({ requestBody: body({ $ref: '#/components/schemas/No' }) })).toBe(
      'it refers to #/components/schemas/No, which does not exist',
    );
    expect(reasonOf({ parameters: [{ name: 'a', in: 'query', style: 'matrix', schema: {} }] })).toContain("'matrix'");
    expect(reasonOf({ parameters: [{ name: 'a', in: 'body' }] })).toContain("is in 'body'");
    expect(reasonOf({ parameters: ['a'] })).toBe('one of its parameters is not an object');
    const circle = { components: { parameters: { A: { $ref: '#/components/parameters/A' } } } };
    expect(reasonOf({ parameters: [{ $ref: '#/components/parameters/A' }] }, circle)).toContain('circular');
    const { tools, skipped } = readOpenApi(
      document({ '/a/{id}': { get: {} }, '/b': { $ref: 'other.json' }, '/c': { get: {} }, '/d': null }),
    );
    expect(tools.map(({ definition }) => definition.name)).toEqual(['get_c']);
    expect(skipped).toEqual([
      { name: 'get_a_id', reason: "it does not declare the parameter 'id' of its path" },
      { name: '/b', reason: 'it refers to another document: other.json' },
    ]);
  });

  test('an operation with a schema that expands without bound is skipped', () => {
    const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`p${at}`, {}]));
    expect(reasonOf({ requestBody: body({ type: 'object', properties: wide }) })).toBe('its schema is too large');
    const deep = Array.from({ length: 70 }).reduce<object>((items) => ({ type: 'array', items }), {});
    expect(reasonOf({ requestBody: body(deep) })).toBe('its schema is nested too deeply');
  });

  test.each([[null], [[]], ['text'], [{}], [{ openapi: 3 }], [{ swagger: '1.2' }]])(
    '%j is not an OpenAPI document',
    (given) => {
      expect(() => readOpenApi(given)).toThrow("it has no 'openapi' version");
    },
  );
});

test('a document of any shape yields self-contained tools or an error', () => {
  const names = [
    'get',
    'post',
    'parameters',
    'requestBody',
    'content',
    'application/json',
    'schema',
    'name',
    'in',
    '$ref',
  ];
  const more = [
    'properties',
    'items',
    'allOf',
    'required',
    'paths',
    'components',
    'schemas',
    'A',
    '__proto__',
    'style',
  ];
  const texts = ['path', 'query', '#/components/schemas/A', '#/paths', '#/', 'form', 'id', '3.0.0'];
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<unknown>(...texts, true, null, 1),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, ...more), tie('value'), { maxKeys: 5 }),
    ),
  }));
  const documents = fc.record({
    openapi: fc.constantFrom('3.0.0', '3.1.0', '3.2.0'),
    paths: fc.dictionary(fc.constantFrom('/a', '/b/{id}'), fc.dictionary(fc.constantFrom(...names), value)),
    components: fc.record({ schemas: fc.dictionary(fc.constantFrom('A', 'B'), value) }),
  });
  let made = 0;
  fc.assert(
    fc.property(documents, (given) => {
      for (const { definition, parameters } of attempt(given)) {
        made++;
        const text = JSON.stringify(definition);
        for (const [, target = ''] of text.matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/g))
          expect(Object.keys(definition.inputSchema.$defs as object)).toContain(target);
        for (const { argument } of parameters) expect(definition.inputSchema.properties).toHaveProperty([argument]);
      }
    }),
    { numRuns: 500 },
  );
  expect(made).toBeGreaterThan(50);
});

function attempt(given: unknown): ReturnType<typeof readOpenApi>['tools'] {
  try {
    return readOpenApi(given).tools;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return [];
  }
}

test('an operation whose path leaves the base path is skipped', () => {
  const paths = [
    '/../../admin/delete',
    '/%2E%2e/admin',
    '/a/./b',
    '/a\\..\\b',
    '/a/..%2f..%5cadmin',
    '/%252e%252e/admin',
    '/..;/admin',
    '/fine..name/..x',
  ];
  const { tools, skipped } = readOpenApi({
    openapi: '3.1.0',
    paths: Object.fromEntries(paths.map((path, at) => [path, { get: { operationId: `get_${at}` } }])),
  });
  expect(tools.map(({ path }) => path)).toEqual(['/fine..name/..x']);
  expect(skipped).toHaveLength(7);
});
