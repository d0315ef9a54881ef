import { expect, test } from 'vitest';
import type { StartOptions } from '../../packages/toolwharf/index.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const echo = localTool({ name: 'echo', parameters: { type: 'object' }, execute: (args) => JSON.stringify(args) });

function throwing(): never {
  throw new Error('the getter failed');
}

const circular: { self?: unknown } = {};
circular.self = circular;

const failingProxy = new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing });

test('a call never throws, whatever its tool is', async () => {
  await using toolbox = await openToolbox({ servers: {} }, { tools: [echo] });
  const tools = [
    undefined,
    null,
    5,
    5n,
    true,
    Symbol('s'),
    {},
    [],
    () => {},
    { tool: 5 },
    { server: {}, tool: 'echo' },
    { definition: undefined },
    { definition: {} },
  ];
  for (const tool of [...tools, failingProxy, Object.create(null)]) {
    expect((await toolbox.call(tool as never, {})).failure?.code).toBe('TOOL_NAME_INVALID');
    expect((await toolbox.start(tool as never, {}).result).failure?.code).toBe('TOOL_NAME_INVALID');
  }
  expect((await toolbox.call(undefined as never, {})).text).toContain('undefined; pass a name or { server, tool }');
});

test('a call never throws, whatever its options are', async () => {
  await using toolbox = await openToolbox({ servers: {} }, { tools: [echo] });
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  let reads = 0;
  const failsLater = {
    get signal() {
      return ++reads > 1 ? throwing() : undefined;
    },
  };
  for (const options of [5, 'x', proxy, failingProxy, failsLater])
    expect((await toolbox.call('echo', {}, options as never)).failure?.code).toBe('REQUEST_INVALID');
});

test.each<[string, unknown, RegExp]>([
  ['a symbol', { a: Symbol('s') }, /\/a is a symbol/],
  ['a function', { a: () => {} }, /\/a is a function/],
  ['a number that is not finite', { a: Number.NaN }, /\/a is NaN/],
  ['a cycle', circular, /circular/],
  [
    'a getter that throws',
    {
      get a() {
        return throwing();
      },
    },
    /the getter failed/,
  ],
  ['a proxy that throws', failingProxy, /the getter failed/],
  ['a proxy that throws within', { a: failingProxy }, /the getter failed/],
  ['toJSON that throws', { a: { toJSON: throwing } }, /the getter failed/],
  ['no object', 5, /object/],
  ['a BigInt alone', 5n, /object/],
  [
    'a thrown value without a text',
    {
      get a() {
        throw Object.create(null);
      },
    },
    /unknown error/,
  ],
])('arguments with %s are invalid, and the call is recorded', async (_what, args, message) => {
  await using toolbox = await openToolbox({ servers: {} }, { tools: [echo] });
  for (const options of [{}, { idempotencyKey: 'k' }]) {
    const result = await toolbox.call('echo', args, options);
    expect(result).toMatchObject({ isError: true, failure: { code: 'ARGUMENTS_INVALID' } });
    expect(result.text).toMatch(message);
  }
  expect(await toolbox.calls.list()).toMatchObject([{ end: 'invalid' }, { end: 'invalid' }]);
});

test('arguments with toJSON are validated and sent as the JSON that they become', async () => {
  await using toolbox = await openToolbox({ servers: {} }, { tools: [echo] });
  const { text } = await toolbox.call('echo', { at: new Date(0), list: [{ toJSON: () => 'x' }], left: undefined });
  expect(JSON.parse(text)).toEqual({ at: '1970-01-01T00:00:00.000Z', list: ['x'] });
});

test.each<[string, unknown]>([
  ['null', null],
  ['5', 5],
  ['signal', { signal: 'now' }],
  ['signal', { signal: {} }],
  ['signal', { signal: { aborted: false } }],
  ['caller', { caller: 'me' }],
  ['caller', { caller: { id: 'me', kind: 'client', name: 5n } }],
  ['caller', { caller: { id: 'me', kind: 'client', circular } }],
  ['parent', { parent: { kind: 'call' } }],
  ['host', { host: 5 }],
  ['host', { host: { elicit: 5 } }],
  ['the getter failed', { host: failingProxy }],
  ['onProgress', { onProgress: {} }],
  ['id', { id: 5 }],
  ['idempotencyKey', { idempotencyKey: 5n }],
  ['meta', { meta: 'x' }],
  ['the getter failed', failingProxy],
])('options that cannot be used are refused: %s', async (name, options) => {
  await using toolbox = await openToolbox({ servers: {} }, { tools: [echo] });
  const result = await toolbox.call('echo', {}, options as StartOptions);
  expect(result).toMatchObject({ isError: true, failure: { code: 'REQUEST_INVALID' } });
  if (options !== null && options !== 5) expect(result.text).toContain(name);
  const executed = await toolbox.tool('echo')?.execute({}, options as StartOptions);
  expect(executed).toMatchObject({ failure: { code: 'REQUEST_INVALID' } });
});

test('the `_meta` of a call is sent as the JSON that it becomes, or the call is not made', async () => {
  await using toolbox = await openToolbox({ servers: { s: fixture('impostor') } });
  for (const meta of [circular, { a: Symbol('s') }, { a: throwing }, failingProxy]) {
    const result = await toolbox.call('mcp_s_meta', {}, { meta: meta as never });
    expect(result).toMatchObject({ isError: true, failure: { code: 'ARGUMENTS_INVALID' } });
    expect(result.text).toContain('The call was not made: `meta`');
  }
  const { isError, text } = await toolbox.call('mcp_s_meta', {}, { meta: { count: 7n, at: new Date(0) } });
  expect(isError).toBe(false);
  expect(text).toContain('"count":7,"at":"1970-01-01T00:00:00.000Z"');
});

test.each<[unknown, RegExp]>([
  [{ name: 'x' }, /'x': `execute` must be a function/],
  [{ name: 'x', execute: 'rm' }, /`execute` must be a function/],
  [{ name: 'x', execute: () => {}, parameters: 'text' }, /`parameters` must be an object/],
  [{ name: 'x', execute: () => {}, timeoutMs: '5' }, /`timeoutMs` must be a number/],
  [{ name: 5, execute: () => {} }, /no name/],
  [{ execute: () => {} }, /no name/],
  [null, /must be an object/],
  [5, /must be an object/],
])('a local tool that could not be called is refused when it is defined: %j', async (tool, message) => {
  const refused = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
  expect(() => localTool(tool as never)).toThrow(refused);
  await expect(openToolbox({ servers: {} }, { tools: [tool as never] })).rejects.toEqual(refused);
});
