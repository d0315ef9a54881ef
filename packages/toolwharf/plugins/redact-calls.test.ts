import { expect, test } from 'vitest';
import { collectLog } from '../../../test/support/fixtures.ts';
import { openToolbox } from '../../../test/support/toolbox.ts';
import { localTool } from '../catalog/local-tool.ts';
import type { Plugin, PluginRedactor, PluginUse } from './plugin.ts';

const secret = 'hunter2';
const detection = (direction: 'arguments' | 'results') =>
  ({ class: 'word', rule: 'hunter', direction, action: 'mask', count: 1 }) as const;

/** Masks the secret wherever it is. */
const masking: PluginRedactor = {
  redact({ texts, direction }) {
    if (direction === 'messages' || !texts.some(({ text }) => text.includes(secret))) return undefined;
    return { texts: texts.map(({ text }) => text.replaceAll(secret, '*')), detections: [detection(direction)] };
  },
};

async function open(redactor: PluginRedactor, use: Partial<PluginUse> = {}) {
  const received: unknown[] = [];
  const { log, entries } = collectLog();
  const echo = localTool({
    name: 'echo',
    execute(args) {
      received.push(args);
      return `got ${JSON.stringify(args)} and ${secret}`;
    },
  });
  const plugin: Plugin = { name: 'test', redactor };
  const toolbox = await openToolbox({ servers: {} }, { tools: [echo], plugins: [{ plugin, ...use }], log });
  return { toolbox, received, events: () => entries.map(({ event }) => event) };
}

test('redactors run one after the other, in both directions, and are counted', async () => {
  const { toolbox, received } = await open(masking);
  await using _ = toolbox;
  const result = await toolbox.call('echo', { text: secret, [`x ${secret}`]: [secret, 1] });
  expect(received).toEqual([{ text: '*', 'x *': ['*', 1] }]);
  expect(result.text).not.toContain(secret);
  expect((await toolbox.calls.list())[0]?.redaction).toEqual([detection('arguments'), detection('results')]);
  const [info] = toolbox.plugins();
  expect(info).toMatchObject({ parts: ['redactor'], hooks: [{ hook: 'redactor', runs: 2, failures: 0 }] });
});

test('a redactor in shadow mode changes nothing, and the receipt says what it detected', async () => {
  const { toolbox, received, events } = await open(masking, { mode: 'shadow' });
  await using _ = toolbox;
  expect((await toolbox.call('echo', { text: secret })).text).toContain(secret);
  expect(received).toEqual([{ text: secret }]);
  expect((await toolbox.calls.list())[0]?.redaction).toMatchObject([{ action: 'detect' }, { action: 'detect' }]);
  expect(events()).toContain('plugin.shadowed');
});

const failing: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['returns too few texts', () => ({ texts: [], detections: [] })],
  ['returns something else than texts', () => ({ texts: [1, 2, 3], detections: [] })],
  ['returns detections with another action', () => ({ detections: [{ ...detection('arguments'), action: 'off' }] })],
  ['returns no detections', () => ({ texts: undefined })],
];

test.each(failing)(
  'content does not go on if a redactor %s, unless the operator allows that',
  async (_name, answer) => {
    const arguments_ = await open({ redact: answer as never });
    await using _a = arguments_.toolbox;
    expect((await arguments_.toolbox.call('echo', { text: secret })).failure?.code).toBe('POLICY_FAILED');
    expect(arguments_.received).toEqual([]);
    expect(JSON.stringify(await arguments_.toolbox.calls.list())).not.toContain(secret);

    const results = await open({ redact: () => undefined, redactResult: answer as never });
    await using _r = results.toolbox;
    const withheld = await results.toolbox.call('echo', { text: 'x' });
    expect(withheld.failure?.code).toBe('RESULT_BLOCKED');
    expect(JSON.stringify([withheld, await results.toolbox.calls.list()])).not.toContain(secret);

    const allowed = await open({ redact: answer as never }, { onFailure: 'allow' });
    await using _o = allowed.toolbox;
    expect((await allowed.toolbox.call('echo', { text: secret })).text).toContain(secret);
    expect(allowed.events()).toContain('plugin.hook-failed');
  },
);

test('a redactor must have a function redact', async () => {
  await expect(open({} as never)).rejects.toThrow(
    "'redactor' of plugin 0 of the program must be a map with a function redact",
  );
});
