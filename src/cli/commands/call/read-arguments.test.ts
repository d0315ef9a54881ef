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

describe('name=value arguments', () => {
  test("are converted to the types of the tool's schema, also through a $ref", async () => {
    const arg = ['text=1', 'times=2', 'tags=["a"]', 'place={"city":"Rome"}', 'depth=1.5'];
    const { args, warnings } = await read({ arg });
    expect(args).toEqual({ text: '1', times: 2, tags: ['a'], place: { city: 'Rome' }, depth: 1.5 });
    expect(warnings).toEqual([]);
  });

  test('are exact JSON with :=, and everything after the first = belongs to the value', async () => {
    const { args } = await read({ arg: ['text=a=b:=c', 'depth:=null', 'times:="two"'] });
    expect(args).toEqual({ text: 'a=b:=c', depth: null, times: 'two' });
  });

  test('that the tool does not have are sent, with a warning and a suggestion', async () => {
    const { args, warnings } = await read({ arg: ['tezt=x'] });
    expect(args).toEqual({ tezt: 'x' });
    expect(warnings).toEqual(["mcp_a_b has no parameter 'tezt'; did you mean 'text'?"]);
  });

  test('are text, without a warning, if the schema declares no parameters', async () => {
    expect(await read({ arg: ['a=1'] }, { parameters: { type: 'object' } })).toEqual({
      args: { a: '1' },
      warnings: [],
    });
  });

  test.each([['noequals'], ['=x'], ['a:=}']])('are rejected as %s', async (pair) => {
    await expect(read({ arg: [pair] })).rejects.toThrow(/^Argument /);
  });

  test('cannot be repeated or combined with --args', async () => {
    await expect(read({ arg: ['a=1', 'a=2'] })).rejects.toThrow('given twice');
    await expect(read({ arg: ['a=1'], args: '{}' })).rejects.toThrow('either --args or name=value');
  });

  test('may be named __proto__', async () => {
    const { args } = await read({ arg: ['__proto__:={"admin":true}'] });
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Object.hasOwn(args, '__proto__')).toBe(true);
  });
});

describe('--args', () => {
  test('takes a JSON object from the command line or from stdin', async () => {
    expect((await read({ args: '{"times":"2"}' })).args).toEqual({ times: '2' });
    expect((await read({ args: '-' }, { stdin: '{"a":[1]}\n' })).args).toEqual({ a: [1] });
  });

  test('is optional', async () => {
    expect((await read({})).args).toEqual({});
  });

  test.each(['[1]', 'null', '"x"', '{', ''])('rejects %j', async (args) => {
    await expect(read({ args })).rejects.toThrow(/--args/);
  });
});
