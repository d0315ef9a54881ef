import { expect, test } from 'vitest';
import { createToolSource, textResult } from '../../../../test/fixtures/models/tool-source.ts';
import { callByProviderName } from './call-by-provider-name.ts';
import { expressTools } from './express-tools.ts';
import { toProviderName } from './provider-name.ts';
import { anthropicRules, openAIRules } from './provider-rules.ts';

test('a shortened name is looked up to find its tool [B8] [B9]', async () => {
  const source = createToolSource([{ name: 'mcp_my_server_a.b' }, { name: 'mcp_my_server_a_b' }]);
  await callByProviderName(
    source,
    [
      { name: toProviderName('mcp_my_server_a.b'), args: {} },
      { name: 'mcp_my_server_a_b', args: {} },
    ],
    openAIRules,
  );
  expect(source.calls.map(({ name }) => name)).toEqual(['mcp_my_server_a.b', 'mcp_my_server_a_b']);
});

test.each(['nobody', 'constructor', '__proto__', 'toString', '', undefined, 5])(
  'the unknown name %s gets an answer the model can read, and no call [B9]',
  async (name) => {
    const source = createToolSource([{ name: 'search' }]);
    const [result] = await callByProviderName(source, [{ name, args: {} }], openAIRules);
    expect(result).toMatchObject({ isError: true, text: `MCP error: Invalid MCP tool name: ${String(name)}` });
    expect(source.calls).toEqual([]);
  },
);

test.each([
  ['{"a":', 'The arguments are not valid JSON'],
  ['[1]', 'The arguments must be one JSON object, not a list.'],
  ['"text"', 'The arguments must be one JSON object, not a string.'],
])('the malformed arguments %s get an answer the model can read, and no call', async (args, expected) => {
  const source = createToolSource([{ name: 'search' }]);
  const [result] = await callByProviderName(source, [{ name: 'search', args }], openAIRules);
  expect(result).toMatchObject({ isError: true, failure: { code: 'ARGUMENTS_INVALID' } });
  expect(result?.text).toContain(`MCP error: ${expected}`);
  expect(source.calls).toEqual([]);
});

test.each(['', '  ', 'null', null, undefined, {}])('missing arguments (%j) are an empty object', async (args) => {
  const source = createToolSource([{ name: 'now' }]);
  await callByProviderName(source, [{ name: 'now', args }], openAIRules);
  expect(source.calls[0]?.args).toEqual({});
});

test('calls run in parallel, and the results have the order of the calls', async () => {
  const finish = new Map<unknown, () => void>();
  const source = createToolSource([
    {
      name: 'wait',
      async run({ label }) {
        await new Promise<void>((resolve) => {
          finish.set(label, resolve);
          // The calls finish only if all three run at the same time, and in another order than they started.
          if (finish.size === 3) for (const other of ['b', 'c', 'a']) finish.get(other)?.();
        });
        return textResult(String(label));
      },
    },
  ]);
  const calls = ['a', 'b', 'c'].map((label) => ({ name: 'wait', args: { label } }));
  const results = await callByProviderName(source, calls, openAIRules);
  expect(results.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
});

test('the signal, the caller and the other options are passed to every call', async () => {
  const source = createToolSource([{ name: 'search' }]);
  const options = { signal: new AbortController().signal, caller: { id: 'me', kind: 'program' } } as const;
  await callByProviderName(source, [{ name: 'search', args: {} }], openAIRules, options);
  expect(source.calls[0]?.options).toEqual(options);
});

test('the tool receives arguments under its own property names', async () => {
  const parameters = { type: 'object', properties: { 'filter[id]': { type: 'string' } } };
  const source = createToolSource([{ name: 'list', parameters }]);
  const [expressed] = expressTools(source.tools, anthropicRules);
  const [shown] = Object.keys(expressed?.schema.properties as object);
  await callByProviderName(source, [{ name: 'list', args: { [String(shown)]: '7' } }], anthropicRules);
  expect(source.calls[0]?.args).toEqual({ 'filter[id]': '7' });
});
