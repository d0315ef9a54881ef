import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../kernel/json.ts';
import type { Tool } from '../../../kernel/tool.ts';
import { type ArgumentOptions, readArguments } from './read-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    times: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { $ref: '#/$defs/place' },
    depth: { anyOf: [{ type: 'number' }, { type: 'null' }] },
  },
  $defs: { place: { type: 'object', properties: { city: { type: 'string' } } } },
};

function toolOf(parameters: JsonSchema): Tool {
  const execute = () => Promise.reject(new Error('not called here'));
  return { name: 'mcp_a_b', originalName: 'b', description: '', parameters, execute };
}

async function read(options: ArgumentOptions, { parameters = schema as JsonSchema, stdin = '' } = {}) {
  const warnings: string[] = [];
  const given = await readArguments(options, async () => stdin);
  return { args: given.for(toolOf(parameters), (warning) => warnings.push(warning)), warnings };
}

describe('arguments one by one', () => {
  test("are typed by the tool's schema, also where it refers to a definition", async () => {
    const arg = ['text=1', 'times=2', 'tags=["a"]', 'place={"city":"Rome"}', 'depth=1.5'];
    const { args, warnings } = await read({ arg });
    expect(args).toEqual({ text: '1', times: 2, tags: ['a'], place: { city: 'Rome' }, depth: 1.5 });
    expect(warnings).toEqual([]);
  });

  test('are exact JSON with := and text with everything after the first =', async () => {
    const { args } = await read({ arg: ['text=a=b:=c', 'depth:=null', 'times:="two"'] });
    expect(args).toEqual({ text: 'a=b:=c', depth: null, times: 'two' });
  });

  test('that the tool does not have are sent, with a warning that says what was likely meant', async () => {
    const { args, warnings } = await read({ arg: ['tezt=x'] });
    expect(args).toEqual({ tezt: 'x' });
    expect(warnings).toEqual(["mcp_a_b has no parameter 'tezt'; did you mean 'text'?"]);
  });

  test('are text without a warning where the schema names no parameters', async () => {
    expect(await read({ arg: ['a=1'] }, { parameters: { type: 'object' } })).toEqual({
      args: { a: '1' },
      warnings: [],
    });
  });

  test.each([['noequals'], ['=x'], ['a:=}']])('are refused as %s', async (pair) => {
    await expect(read({ arg: [pair] })).rejects.toThrow(/^Argument /);
  });

  test('may not be given twice, or together with --args', async () => {
    await expect(read({ arg: ['a=1', 'a=2'] })).rejects.toThrow('given twice');
    await expect(read({ arg: ['a=1'], args: '{}' })).rejects.toThrow('not both');
  });

  test('called __proto__ stay a plain member', async () => {
    const { args } = await read({ arg: ['__proto__:={"admin":true}'] });
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Object.hasOwn(args, '__proto__')).toBe(true);
  });
});

describe('arguments as a whole', () => {
  test('are a JSON object, from the command line or from stdin', async () => {
    expect((await read({ args: '{"times":"2"}' })).args).toEqual({ times: '2' });
    expect((await read({ args: '-' }, { stdin: '{"a":[1]}\n' })).args).toEqual({ a: [1] });
  });

  test('are empty when nothing is given', async () => {
    expect((await read({})).args).toEqual({});
  });

  test.each(['[1]', 'null', '"x"', '{', ''])('are refused as %s', async (args) => {
    await expect(read({ args })).rejects.toThrow(/--args/);
  });
});
