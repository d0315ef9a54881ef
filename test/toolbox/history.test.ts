import { describe, expect, test } from 'vitest';
import { compileRules } from '../../packages/toolwharf/features/policy/compile-rules.ts';
import { createPolicyPlugin } from '../../packages/toolwharf/features/policy/policy-plugin.ts';
import { tryExamples } from '../../packages/toolwharf/features/policy/try-examples.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { createMemoryJournal } from '../../packages/toolwharf/storage/memory/memory-journal.ts';
import { openToolbox } from '../support/toolbox.ts';

const pay = localTool({ name: 'pay', execute: ({ amount }: { amount?: unknown }) => `paid ${amount}` });
const look = localTool({ name: 'look', execute: () => 'seen' });

async function open(when: string, then = 'deny') {
  let now = Date.parse('2026-01-31T12:00:00Z');
  const journal = createMemoryJournal();
  const rules = [{ id: 'r', when, then }];
  const toolbox = await openToolbox({ servers: {}, policy: { rules } } as never, {
    tools: [pay, look],
    journal,
    plugins: [createPolicyPlugin({ now: () => now })],
  });
  return {
    toolbox,
    call: async (tool: string, args: object, id = 'ada') => {
      // The journal has the time of the machine: earlier calls of these tests were made at the time of the policy.
      const call = toolbox.start(tool, args, { caller: { id, kind: 'client' } });
      const { isError } = await call.result;
      const at = new Date(now).toISOString();
      await journal.write({ ...call.record, createdAt: at });
      return !isError;
    },
    elapse: (ms: number) => {
      now += ms;
    },
    [Symbol.asyncDispose]: () => toolbox.close(),
  };
}

const hour = 3_600_000;

describe('the history of conditions', () => {
  test('a condition counts the earlier calls of the caller in its window, and neither itself nor what never ran', async () => {
    await using opened = await open("call.tool == 'pay' && history.count('pay', '1h') >= 2");
    const { call, elapse } = opened;
    const args = { amount: 1 };
    expect([await call('pay', args), await call('pay', args), await call('pay', args)]).toEqual([true, true, false]);
    expect(await call('pay', args, 'max')).toBe(true);
    elapse(hour / 2);
    expect(await call('pay', args)).toBe(false);
    elapse(hour / 2 + 1);
    expect(await call('pay', args)).toBe(true);
  });

  test('a sum is exact, adds nothing for calls without the argument, and has no value for what is no number', async () => {
    await using opened = await open("call.tool == 'look' && history.sum('pay', 'item.price', '24h') == 0.3");
    const { call } = opened;
    await call('pay', { item: { price: 0.1 } });
    await call('pay', {});
    expect(await call('look', {})).toBe(true);
    await call('pay', { item: { price: 0.2 } });
    expect(await call('look', {})).toBe(false);
    await call('pay', { item: { price: 'a lot' } });
    const [, before] = await opened.toolbox.calls.list();
    expect(before).toBeDefined();
    expect((await opened.toolbox.call('look', {}, { caller: { id: 'ada', kind: 'client' } } as never)).isError).toBe(
      true,
    );
    const [record] = await opened.toolbox.calls.list();
    expect(record?.policy).toEqual([{ id: 'r', effect: 'ask', mode: 'enforce', failed: true }]);
  });

  test('a condition knows the time of the last call, or that there was none', async () => {
    const when = "call.tool == 'pay' && (history.last('look') == null || now - history.last('look') > duration('1h'))";
    await using opened = await open(when);
    const { call, elapse } = opened;
    expect(await call('pay', {})).toBe(false);
    await call('look', {});
    elapse(hour);
    expect(await call('pay', {})).toBe(true);
    elapse(1);
    expect(await call('pay', {})).toBe(false);
  });

  test('a pattern that cannot be read is an error when the rule is read', () => {
    const problems: string[] = [];
    const rule = { id: 'r', then: 'ask', mode: 'enforce', onFailure: 'ask', examples: [] } as const;
    compileRules(
      [
        { ...rule, when: "history.count('!pay', '1h') > 1" },
        { ...rule, id: 's', when: "history.count('pay', 'soon') > 1" },
        { ...rule, id: 't', when: "history.count(call.tool, '1h') > 1" },
        { ...rule, id: 'u', then: 'hide', when: "history.count('pay', '1h') > 1" },
      ],
      ({ message }) => problems.push(message),
    );
    expect(problems).toMatchObject([
      expect.stringContaining('starts with "!"'),
      expect.stringContaining("must be a duration such as '24h'"),
      expect.stringContaining('must be a text'),
      expect.stringContaining('knows only'),
    ]);
  });

  test('an example states the earlier calls', async () => {
    const examples = [
      { history: [{ tool: 'pay', args: { amount: 60 }, ago: hour }], applies: true },
      { history: [{ server: 'bank', tool: 'pay', args: { amount: 60 }, ago: hour }], applies: true },
      { history: [{ tool: 'pay', args: { amount: 60 }, ago: 25 * hour }], applies: false },
      { applies: false },
    ];
    const when = "history.sum('{pay,bank/pay}', 'amount', '24h') > 50 && history.last('*pay') != null";
    const [rule] = compileRules(
      [{ id: 'r', when, then: 'ask', mode: 'enforce', onFailure: 'ask', examples }],
      () => {},
    );
    expect(rule && (await tryExamples(rule, new Date()))).toEqual([]);
  });
});

test('a condition about more calls than it may read has no value', async () => {
  await using opened = await open("call.tool == 'look' && history.count('pay', '1h') > 5000");
  for (let number = 0; number < 1_001; number++) await opened.call('pay', {});
  expect(await opened.call('look', {})).toBe(false);
  const [record] = await opened.toolbox.calls.list({ limit: 1 });
  expect(record?.policy).toEqual([{ id: 'r', effect: 'ask', mode: 'enforce', failed: true }]);
});
