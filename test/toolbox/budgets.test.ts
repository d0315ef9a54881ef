import { describe, expect, test } from 'vitest';
import { fromAmount, toAmount } from '../../packages/toolwharf/features/budgets/amounts.ts';
import { createBudgetsPlugin } from '../../packages/toolwharf/features/budgets/budgets-plugin.ts';
import { createPolicyPlugin } from '../../packages/toolwharf/features/policy/policy-plugin.ts';
import {
  type ApprovalRequest,
  createToolbox,
  definePlugin,
  localTool,
  type ToolboxOptions,
} from '../../packages/toolwharf/index.ts';
import { createMemoryBudgets } from '../../packages/toolwharf/storage/memory/memory-budgets.ts';
import { createMemoryJournal } from '../../packages/toolwharf/storage/memory/memory-journal.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

type Budget = Readonly<Record<string, unknown>>;

const payments: Budget = { id: 'pay', tool: 'pay', sum: 'call.args.amount', window: '24h', max: 100, then: 'deny' };
const pay = localTool({ name: 'pay', execute: ({ amount }: { amount?: number }) => `paid ${amount}` });

function open(budgets: readonly Budget[], options: ToolboxOptions = {}, policy: object = {}, config: object = {}) {
  const store = createMemoryBudgets();
  const plugins = [createPolicyPlugin(), createBudgetsPlugin({ store }), ...(options.plugins ?? [])];
  const settings = { servers: {}, policy: { budgets, ...policy }, ...config };
  return openToolbox(settings as never, { tools: [pay], ...options, plugins }).then((toolbox) => ({
    toolbox,
    call: (amount: unknown) => toolbox.call('pay', { amount }),
    used: async (id = 'pay') => (await store.list(id, 86_400_000, 10)).map(({ used }) => fromAmount(used)),
    [Symbol.asyncDispose]: () => toolbox.close(),
  }));
}

/** Answers approvals when the test says so, and notes them. */
function approver(answers: readonly ('allow' | 'deny')[] = []) {
  const asked: ApprovalRequest[] = [];
  const left = [...answers];
  return {
    asked,
    async approver(request: ApprovalRequest) {
      asked.push(request);
      return { kind: left.shift() ?? 'allow' };
    },
  };
}

describe('the budgets of a toolbox', () => {
  test('a call that takes more than is left is denied, with the budget, what is left and when to try again', async () => {
    await using opened = await open([{ ...payments, reason: 'Spending' }]);
    const { call, toolbox, used } = opened;
    expect((await call(99.9)).text).toBe('paid 99.9');
    expect(await call(0.2)).toMatchObject({
      text: "MCP error: The call to pay was denied: Spending (the budget 'pay' has 0.1 of 100 left in 1d, and the call takes 0.2)",
      failure: {
        code: 'LIMIT_REACHED',
        data: {
          ...{ limit: 'budget', budget: 'pay', max: 100, left: 0.1, takes: 0.2, retryAfterMs: expect.any(Number) },
          ...{ policy: 'toolwharf.budgets', policyRules: ['budget:pay'] },
        },
      },
    });
    expect((await call(0.1)).text).toBe('paid 0.1');
    expect((await call(200)).failure?.data).not.toHaveProperty('retryAfterMs');
    expect(await used()).toEqual([100]);
    const [denied] = await toolbox.calls.list();
    expect(denied).toMatchObject({ end: 'denied', policy: [{ id: 'budget:pay', effect: 'deny', mode: 'enforce' }] });
    expect(denied?.startedAt).toBeUndefined();
  });

  test('of calls at the same time, as many run as the budget has units', async () => {
    await using opened = await open([{ id: 'calls', count: 'calls', window: '1h', max: 3, then: 'deny' }]);
    const results = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(opened.call));
    expect(results.filter(({ isError }) => !isError)).toHaveLength(3);
  });

  test.each([[-1], ['many'], [undefined], [1e300]])(
    'a sum without a usable value denies the call, and charges nothing (%s)',
    async (amount) => {
      await using opened = await open([payments]);
      expect(await opened.call(amount)).toMatchObject({
        failure: { code: 'LIMIT_REACHED', message: expect.stringContaining('cannot be computed for this call') },
      });
      expect(await opened.used()).toEqual([]);
      const [record] = await opened.toolbox.calls.list();
      expect(record?.policy).toEqual([{ id: 'budget:pay', effect: 'deny', mode: 'enforce', failed: true }]);
    },
  );

  test('a call that surely never ran gives back what it took, and one that failed in its tool does not', async () => {
    const stop = definePlugin({
      name: 'stop',
      reserve: ({ arguments: args }) => (args.amount === 7 ? { kind: 'deny', reason: 'not seven' } : undefined),
    });
    const fail = localTool({
      name: 'fail',
      execute: () => {
        throw new Error('broken');
      },
    });
    const calls = { id: 'all', count: 'calls', window: '1h', max: 10, then: 'deny' };
    await using opened = await open([payments, calls], { plugins: [stop], tools: [pay, fail] });
    expect((await opened.call(7)).failure?.code).toBe('CALL_DENIED');
    expect(await opened.used()).toEqual([]);
    expect((await opened.toolbox.call('fail', {})).isError).toBe(true);
    expect(await opened.used('all')).toEqual([1]);
  });

  test('a budget that asks is charged if a person allows it, and nothing else answers for it', async () => {
    const { asked, ...options } = approver(['allow', 'deny']);
    await using opened = await open([{ ...payments, then: 'ask' }], options);
    await opened.call(100);
    expect(asked).toEqual([]);
    expect((await opened.call(50)).text).toBe('paid 50');
    expect((await opened.call(1)).failure?.code).toBe('CALL_DENIED');
    expect(asked).toMatchObject([
      { policyRules: ['budget:pay'], reason: "the budget 'pay' has 0 of 100 left in 1d, and the call takes 50" },
      { policyRules: ['budget:pay'] },
    ]);
    expect(await opened.used()).toEqual([150]);
    expect((await opened.toolbox.calls.list())[1]).toMatchObject({
      ...{ approval: { answer: 'allow' }, policy: [{ id: 'budget:pay', effect: 'ask', mode: 'enforce' }] },
    });
  });

  test('a person who allowed a call for another reason is asked again when the budget has run out meanwhile', async () => {
    const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
    const asked: ApprovalRequest[] = [];
    const ask = async (request: ApprovalRequest) => {
      if (asked.push(request) === 2) resolve();
      await bothAsked;
      return { kind: 'allow' } as const;
    };
    const rule = { id: 'each', when: "call.tool == 'pay'", then: 'ask' };
    await using opened = await open([{ ...payments, then: 'ask' }], { approver: ask }, { rules: [rule] });
    const results = await Promise.all([opened.call(60), opened.call(60)]);
    expect(results.map(({ isError }) => isError)).toEqual([false, false]);
    expect(asked.map(({ policyRules }) => policyRules)).toEqual([['each'], ['each'], ['each', 'budget:pay']]);
    expect(await opened.used()).toEqual([120]);
  });

  test('a budget in shadow mode counts, lets calls pass and records what it would have decided', async () => {
    await using opened = await open([{ ...payments, mode: 'shadow' }]);
    await opened.call(100);
    expect((await opened.call(1)).text).toBe('paid 1');
    expect(await opened.used()).toEqual([101]);
    expect((await opened.toolbox.calls.list())[0]?.policy).toEqual([
      { id: 'budget:pay', effect: 'deny', mode: 'shadow' },
    ]);
  });

  test('callers, tools and conditions are counted apart', async () => {
    const budgets = [
      { id: 'each', per: ['caller', 'tool'], window: '1h', max: 1, then: 'deny', when: 'has(call.args.amount)' },
    ];
    const other = localTool({ name: 'other', execute: () => 'ok' });
    await using opened = await open(budgets, { tools: [pay, other] });
    const { toolbox } = opened;
    const by = (id: string, tool: string, args: object) =>
      toolbox.start(tool, args, { caller: { id, kind: 'client' } }).result.then(({ isError }) => isError);
    expect(await by('ada', 'pay', { amount: 1 })).toBe(false);
    expect(await by('ada', 'pay', { amount: 1 })).toBe(true);
    expect(await by('max', 'pay', { amount: 1 })).toBe(false);
    expect(await by('ada', 'other', { amount: 1 })).toBe(false);
    expect(await by('ada', 'pay', {})).toBe(false);
  });

  test('bytes of results and seconds of scripts are charged when they are known', async () => {
    const budgets = [
      { id: 'bytes', count: 'resultBytes', tool: 'large', window: '1h', max: 1_000, then: 'deny' },
      { id: 'seconds', count: 'scriptSeconds', window: '1h', max: 2, then: 'deny' },
    ];
    const large = localTool({ name: 'large', execute: () => 'x'.repeat(2_000) });
    const composed = localTool({
      ...{ name: 'composed', composed: true },
      execute: async (_args, { call }) => (await call('pay', { amount: 1 })).text,
    });
    await using opened = await open(budgets, { tools: [pay, large, composed] });
    const { toolbox } = opened;
    expect((await toolbox.call('large', {})).isError).toBe(false);
    const [bytes = 0] = await opened.used('bytes');
    expect(bytes).toBeGreaterThan(2_000);
    expect(bytes).toBeLessThan(2_100);
    expect((await toolbox.call('large', {})).failure?.data).toMatchObject({ budget: 'bytes', left: 0 });
    expect((await toolbox.call('composed', {})).text).toBe('paid 1');
    const [seconds = 0] = await opened.used('seconds');
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).not.toBe(1);
  });

  test('a call whose id was used before is charged, although the journal has lost that call', async () => {
    const journal = createMemoryJournal({ maxCalls: 1 });
    await using opened = await open([{ ...payments, max: 2 }], { journal });
    const call = (id: string) => opened.toolbox.start('pay', { amount: 1 }, { id }).result;
    await call('one');
    const since = Date.now();
    await waitFor(() => Date.now() > since, { what: 'the next millisecond' });
    await call('two');
    expect((await call('one')).failure?.code).toBe('LIMIT_REACHED');
  });

  test('a read of a resource takes from a budget like a call', async () => {
    const budget = { id: 'reads', tool: 's/resources/read', window: '1h', max: 1, then: 'deny' };
    await using opened = await open([budget], {}, {}, { servers: { s: fixture('legacy') } });
    const read = () => opened.toolbox.resources.read('s', 'memo://one');
    await expect(read()).resolves.toBeDefined();
    await expect(read()).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test('without budgets, a toolbox has no hook, and calls do not wait for one', async () => {
    await using opened = await open([]);
    await opened.call(1);
    expect(opened.toolbox.plugins().flatMap(({ parts, hooks }) => [...parts, ...hooks])).toEqual([]);
  });

  test('a store that fails stops the calls', async () => {
    const failing = { ...createMemoryBudgets(), reserve: () => Promise.reject(new Error('disk full')) };
    const settings = { servers: {}, policy: { budgets: [payments] } };
    await using toolbox = await openToolbox(settings as never, {
      tools: [pay],
      plugins: [createBudgetsPlugin({ store: failing })],
    });
    expect((await toolbox.call('pay', { amount: 1 })).failure?.code).toBe('POLICY_FAILED');
  });

  test.each([
    ['an unknown variable', { ...payments, sum: 'cal.args.amount' }, 'unknown variable cal; did you mean call?'],
    ['a condition that is no condition', { ...payments, when: "'x'" }, 'the condition must be true or false'],
    ['two measures', { ...payments, count: 'calls' }, 'a budget has either count or sum'],
    ['a maximum with too many decimals', { ...payments, max: 0.1234567 }, 'at most 6 decimals'],
    ['a glob that is none', { ...payments, tool: '!pay' }, 'must not start with "!"'],
  ])('a configuration with %s is refused', async (_what, budget, message) => {
    await expect(open([budget], { log: false })).rejects.toThrow(message);
  });

  test('two budgets with one id, and a toolbox without the plugin, are refused', async () => {
    await expect(open([payments, payments], { log: false })).rejects.toThrow("another budget with the id 'pay'");
    const settings = { servers: {}, policy: { budgets: [payments] } };
    await expect(createToolbox(settings as never, { log: false, plugins: [createPolicyPlugin()] })).rejects.toThrow(
      "nothing applies 'policy.budgets' here: switch on the feature 'budgets'",
    );
  });
});

test('amounts are exact decimals: nothing drifts, and what is too small to count is rounded up', () => {
  expect(toAmount(0.1 + 0.2)).toBe(300_000n);
  expect(toAmount(1e-9)).toBe(1n);
  expect(toAmount(9_007_199_254_740_993n)).toBeUndefined();
  expect(toAmount(9_000_000_000_000n)).toBe(9_000_000_000_000_000_000n);
  expect(toAmount(1e13)).toBeUndefined();
  expect([Number.NaN, Number.POSITIVE_INFINITY, -0.5, -1n, '1', null, true].map(toAmount)).toEqual(
    Array(7).fill(undefined),
  );
  expect(toAmount(0)).toBe(0n);
  expect(fromAmount(1_234_567n)).toBe(1.234567);
});
