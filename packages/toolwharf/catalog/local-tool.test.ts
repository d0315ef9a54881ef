import { type } from 'arktype';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { StandardSchema } from '../kernel/standard-schema.ts';
import { type LocalTool, type LocalToolContext, localTool, runLocalTool, toLocalDefinition } from './local-tool.ts';

const context: LocalToolContext = {
  signal: new AbortController().signal,
  call: () => Promise.reject(new Error('not composed')),
};

const zodTool = localTool({
  name: 'zod',
  parameters: z.object({ city: z.string(), days: z.int().default(3) }),
  execute: (args) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
    return args;
  },
});

const arkTool = localTool({
  name: 'arktype',
  parameters: type({ city: 'string', days: 'number = 3' }),
  execute: (args) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
    return args;
  },
});

const jsonTool = localTool<{ city: string }>({
  name: 'json',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: (args) => args,
});

/** A Standard Schema of a library that does not convert its schemas to JSON Schema. */
const plainStandard: StandardSchema<{ city: string }> = {
  '~standard': {
    version: 1,
    vendor: 'example',
    validate: (value) =>
      typeof (value as { city?: unknown }).city === 'string'
        ? { value: value as { city: string } }
        : { issues: [{ message: 'must be text', path: ['city'] }] },
  },
};

describe.each([
  ['Zod', zodTool],
  ['ArkType', arkTool],
  ['a plain JSON Schema', jsonTool],
  [
    'a Standard Schema with its JSON Schema beside it',
    localTool({
      name: 'beside',
      parameters: plainStandard,
      jsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      execute: (args) => args,
    }),
  ],
])('a local tool with parameters of %s', (_, tool: LocalTool) => {
  test('a local tool shows agents a JSON Schema of an object', () => {
    expect(toLocalDefinition(tool).inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    });
  });

  test('a local tool passes the arguments to the function', async () => {
    const { structuredContent } = await runLocalTool(tool, { city: 'Kiel' }, context);
    expect(structuredContent).toMatchObject({ city: 'Kiel' });
  });
});

test.each([zodTool, arkTool])('the defaults of the schema of $name are applied', async (tool) => {
  const { structuredContent } = await runLocalTool(tool, { city: 'Kiel' }, context);
  expect(structuredContent).toEqual({ city: 'Kiel', days: 3 });
});

test.each([
  zodTool,
  arkTool,
  localTool({ name: 'plain', parameters: plainStandard, jsonSchema: { type: 'object' }, execute: () => 'ran' }),
])('arguments that the schema of $name rejects are ARGUMENTS_INVALID with their path', async (tool) => {
  await expect(runLocalTool(tool, { city: 5 }, context)).rejects.toMatchObject({
    code: 'ARGUMENTS_INVALID',
    message: expect.stringMatching(/^Invalid arguments: city: /),
  });
});

test('a schema that cannot be converted to JSON Schema is rejected with advice', () => {
  const tool = localTool({ name: 'odd', parameters: plainStandard, execute: () => 'ran' });
  expect(() => toLocalDefinition(tool)).toThrow(
    "The parameters of local tool 'odd' are a schema of example, which has no JSON Schema: add jsonSchema to the tool",
  );
});

test('parameters that are not an object are rejected', () => {
  const tool = localTool({ name: 'text', parameters: z.string(), execute: () => 'ran' });
  expect(() => toLocalDefinition(tool)).toThrow("The parameters of local tool 'text' must be an object");
});

test('a local tool without parameters accepts no arguments', () => {
  expect(toLocalDefinition(localTool({ name: 'none', execute: () => 'ran' })).inputSchema).toEqual({
    type: 'object',
    properties: {},
  });
});
