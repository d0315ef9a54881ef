import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../../contract/json.ts';
import type { Tool } from '../../../../toolwharf/kernel/tool.ts';
import { UsageError } from '../../errors.ts';
import { type ArgumentOptions, parseArgument, readArguments } from './read-arguments.ts';

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
  test("name=value arguments are converted to the types of the tool's schema, also through a $ref", async () => {
    const arg = ['text=1', 'times=2', 'tags=["a"]', 'place={"city":"Rome"}', 'depth=1.5'];
    const { args, warnings } = await read({ arg });
    expect(args).toEqual({ text: '1', times: 2, tags: ['a'], place: { city: 'Rome' }, depth: 1.5 });
    expect(warnings).toEqual([]);
  });

  test('an argument with := is exact JSON, and everything after the first = belongs to the value', async () => {
    const { args } = await read({ arg: ['text=a=b:=c', 'depth:=null', 'times:="two"'] });
    expect(args).toEqual({ text: 'a=b:=c', depth: null, times: 'two' });
  });

  test('arguments that the tool does not have are sent, with a warning and a suggestion', async () => {
    const { args, warnings } = await read({ arg: ['tezt=x'] });
    expect(args).toEqual({ tezt: 'x' });
    expect(warnings).toEqual(["mcp_a_b has no parameter 'tezt'; did you mean 'text'?"]);
  });

  test('arguments are text, without a warning, if the schema declares no parameters', async () => {
    expect(await read({ arg: ['a=1'] }, { parameters: { type: 'object' } })).toEqual({
      args: { a: '1' },
      warnings: [],
    });
  });

  test.each([['noequals'], ['=x'], ['a:=}']])('the argument %s is rejected', async (pair) => {
    await expect(read({ arg: [pair] })).rejects.toThrow(/^Argument /);
  });

  test('an argument cannot be repeated or combined with --args', async () => {
    await expect(read({ arg: ['a=1', 'a=2'] })).rejects.toThrow('given twice');
    await expect(read({ arg: ['a=1'], args: '{}' })).rejects.toThrow('either --args or name=value');
  });

  test('an argument may be named __proto__', async () => {
    const { args } = await read({ arg: ['__proto__:={"admin":true}'] });
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(Object.hasOwn(args, '__proto__')).toBe(true);
  });
});

describe('--args', () => {
  test('--args takes a JSON object from the command line or from stdin', async () => {
    expect((await read({ args: '{"times":"2"}' })).args).toEqual({ times: '2' });
    expect((await read({ args: '-' }, { stdin: '{"a":[1]}\n' })).args).toEqual({ a: [1] });
  });

  test('--args is optional', async () => {
    expect((await read({})).args).toEqual({});
  });

  test.each(['[1]', 'null', '"x"', '{', ''])('--args rejects %j', async (args) => {
    await expect(read({ args })).rejects.toThrow(/--args/);
  });
});

describe('a name=value argument is converted to the type of its parameter', () => {
  test.each([
    ['number', '3.5', 3.5],
    ['number', '-1e3', -1000],
    ['number', '.5', 0.5],
    ['integer', '42', 42],
    ['integer', '+7', 7],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['array', '["a",1]', ['a', 1]],
    ['object', '{"a":{"b":null}}', { a: { b: null } }],
    ['null', 'null', null],
    ['string', '42', '42'],
    ['string', 'true', 'true'],
    ['string', '', ''],
    ['any', '42', '42'],
    ['string | number', '42', '42'],
    ['number | boolean', 'true', true],
  ])('type %s, text %s', (type, text, value) => {
    expect(JSON.parse(JSON.stringify(parseArgument('x', text, { type })))).toEqual(value);
  });

  test.each([
    ['number', 'abc'],
    ['number', ''],
    ['number', 'NaN'],
    ['number', 'Infinity'],
    ['integer', '1.5'],
    ['boolean', 'yes'],
    ['array', '{"a":1}'],
    ['array', 'a,b'],
    ['object', '[]'],
    ['object', 'null'],
  ])('type %s rejects the text %s and names the expected type', (type, text) => {
    expect(() => parseArgument('x', text, { type })).toThrow(UsageError);
    expect(() => parseArgument('x', text, { type })).toThrow(`Argument x: expected ${type}`);
  });

  test('an integer keeps all its digits', () => {
    expect(JSON.stringify(parseArgument('id', '90071992547409931', { type: 'integer' }))).toBe('90071992547409931');
    expect(() => parseArgument('id', '90071992547409931.5', { type: 'integer' })).toThrow('expected integer');
  });

  test('a number stays as it is written, and an integer is written without a fraction', () => {
    expect(JSON.stringify(parseArgument('x', '1.50', { type: 'number' }))).toBe('1.50');
    expect(JSON.stringify(parseArgument('x', '1.0', { type: 'integer' }))).toBe('1');
  });

  test('a value of an enum is found by its text, whatever its type', () => {
    expect(parseArgument('x', '2', { type: 'integer | string', enum: [1, 2, 'three'] })).toBe(2);
    expect(parseArgument('x', 'three', { type: 'integer | string', enum: [1, 2, 'three'] })).toBe('three');
  });

  test('an unknown parameter is text', () => {
    expect(parseArgument('x', '1')).toBe('1');
  });
});
