import { describe, expect, test } from 'vitest';
import type { PolicyRule } from '../../../contract/settings/config.ts';
import type { ConfigProblem } from '../../plugins/plugin.ts';
import { compileRules } from './compile-rules.ts';
import { judge, toDecidingRules, toVerdict } from './judge.ts';
import { type CallFacts, policyVariables, toValues } from './variables.ts';

const rule = (given: Partial<PolicyRule>): PolicyRule => ({
  ...{ id: 'r', when: 'true', then: 'ask', mode: 'enforce', onFailure: 'ask', examples: [] },
  ...given,
});

function compile(...rules: readonly Partial<PolicyRule>[]) {
  const problems: ConfigProblem[] = [];
  const compiled = compileRules(rules.map(rule), (problem) => problems.push(problem));
  return { compiled, problems };
}

const facts = (args: Record<string, unknown> = {}, given: Partial<CallFacts> = {}): CallFacts => ({
  ...{ server: 'mail', tool: 'mcp_mail_send', originalName: 'send', arguments: args, caller: {} },
  ...given,
});

const now = new Date('2026-01-31T08:00:00Z');

function verdictOf(rules: readonly Partial<PolicyRule>[], call: CallFacts) {
  const { compiled, problems } = compile(...rules);
  expect(problems).toEqual([]);
  const outcomes = judge(compiled, call, now);
  return { verdict: toVerdict(outcomes), decided: toDecidingRules(outcomes) };
}

const applies = (when: string, call: CallFacts) =>
  verdictOf([{ when, onFailure: 'allow' }], call).verdict !== undefined;

describe('the rules of a policy', () => {
  const outside = "call.server == 'mail' && !call.args.to.endsWith('@example.com')";

  test('a rule applies to the calls for which its condition is true', () => {
    expect(applies(outside, facts({ to: 'eve@evil.example' }))).toBe(true);
    expect(applies(outside, facts({ to: 'ada@example.com' }))).toBe(false);
    expect(applies(outside, facts({ to: 'eve@evil.example' }, { server: 'files' }))).toBe(false);
  });

  test('deny beats ask in every order, and a rule in shadow mode decides nothing and is recorded', () => {
    const rules = [
      { id: 'asks', then: 'ask' },
      { id: 'denies', then: 'deny', reason: 'No' },
      { id: 'shadows', then: 'deny', mode: 'shadow' },
    ] as const;
    for (const order of [rules, rules.toReversed()])
      expect(verdictOf(order, facts()).verdict).toEqual({ kind: 'deny', reason: "No (rule 'denies')" });
    const { verdict, decided } = verdictOf([rules[2]], facts());
    expect(verdict).toBeUndefined();
    expect(decided).toEqual([{ id: 'shadows', effect: 'deny', mode: 'shadow' }]);
  });

  test.each([
    ['ask', { kind: 'ask', reason: "the condition of the rule 'r' has no value for this call" }],
    ['deny', { kind: 'deny', reason: "the condition of the rule 'r' has no value for this call" }],
    ['allow', undefined],
  ] as const)('a condition without a value counts as its onFailure %s', (onFailure, expected) => {
    for (const args of [{}, { to: 5 }, { to: null }, { to: ['eve@evil.example'] }]) {
      const { verdict, decided } = verdictOf([{ when: outside, then: 'deny', onFailure }], facts(args));
      expect(verdict).toEqual(expected);
      expect(decided).toEqual([{ id: 'r', effect: onFailure, mode: 'enforce', failed: true }]);
    }
  });

  test('a rule about a missing argument uses has()', () => {
    const when = "!has(call.args.to) || call.args.to == 'all'";
    expect(applies(when, facts())).toBe(true);
    expect(applies(when, facts({ to: 'ada' }))).toBe(false);
    expect(applies(when, facts({ to: 'all' }))).toBe(true);
  });

  test('a rule with profiles is for those only', () => {
    const rules = [{ then: 'deny', profiles: ['team'] }] as const;
    expect(verdictOf(rules, facts({}, { profile: 'team' })).verdict?.kind).toBe('deny');
    expect(verdictOf(rules, facts({}, { profile: 'other' }))).toEqual({ verdict: undefined, decided: [] });
    expect(verdictOf(rules, facts())).toEqual({ verdict: undefined, decided: [] });
  });

  test('rules know who calls, through what and when', () => {
    const call = facts(
      {},
      {
        caller: { id: 'key:1', kind: 'client', name: 'CI', client: { name: 'cursor', version: '2.1' } },
        parent: { kind: 'call', id: '7', server: undefined, tool: 'run_code' },
        person: { name: 'Ada', groups: ['finance'], roles: ['member'] },
        profile: 'team',
        annotations: { readOnlyHint: false },
      },
    );
    for (const when of [
      "call.name == 'mcp_mail_send' && call.tool == 'send'",
      "caller.kind == 'client' && caller.name == 'CI' && client.name == 'cursor' && client.version.startsWith('2.')",
      "person.name == 'Ada' && 'finance' in person.groups && 'member' in person.roles",
      "profile == 'team' && has(call.parent.kind) && call.parent.tool == 'run_code'",
      'now.getHours() == 8 && !call.annotations.readOnlyHint',
    ])
      expect(applies(when, call), when).toBe(true);
    const unknown = "person.name == '' && size(person.groups) == 0 && client.name == '' && !has(call.parent.kind)";
    expect(applies(unknown, facts())).toBe(true);
  });

  test('every variable has a value of its type for every call', () => {
    const values = toValues(facts({}, { server: undefined }), now);
    // Functions have values only where the history was read.
    const types = policyVariables
      .filter(({ parameters }) => !parameters)
      .map(({ name, type }) => {
        const value = name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], values);
        const found = Array.isArray(value) ? 'list' : value instanceof Date ? 'timestamp' : typeof value;
        return { name, type, found: found === 'object' ? 'map' : found };
      });
    for (const { name, type, found } of types) expect(found, name).toBe(type);
  });
});

describe('texts of arguments', () => {
  const decomposed = 'cafe\u0301';

  test('a text is compared as it is sent and as people read it, so that another spelling escapes no rule', () => {
    for (const to of ['café', decomposed, 'ca\u200bfé', '\u2060café\ufeff']) {
      expect(applies("call.args.to == 'café'", facts({ to })), JSON.stringify(to)).toBe(true);
      expect(applies(`call.args.to == '${decomposed}'`, facts({ to })), JSON.stringify(to)).toBe(true);
      expect(applies("call.args.list.exists(x, x == 'café')", facts({ list: ['tea', to] }))).toBe(true);
      expect(applies("call.args.at.deep.to == 'café'", facts({ at: { deep: { to } } }))).toBe(true);
    }
  });

  test('a text with invisible characters does not pass as one that a rule lets through', () => {
    const outside = "!call.args.to.endsWith('@example.com')";
    expect(applies(outside, facts({ to: 'ada@exam\u200bple.com' }))).toBe(true);
    expect(applies(outside, facts({ to: 'ada@example.com\u200b' }))).toBe(true);
    expect(applies(outside, facts({ to: 'ad\u00e4@example.com' }))).toBe(false);
  });

  test('names of members are compared as they are', () => {
    expect(applies('has(call.args.to)', facts({ 't\u200bo': 'x' }))).toBe(false);
    expect(applies("'__proto__' in call.args", facts(JSON.parse('{"__proto__":1}')))).toBe(true);
    expect(applies("'__proto__' in call.args || 'constructor' in call.args", facts())).toBe(false);
  });
});

describe('rules that cannot be compiled', () => {
  test('each problem has the position in its condition and the nearest known name', () => {
    const { compiled, problems } = compile(
      { id: 'a', when: "call.sever == 'x'" },
      { id: 'b', when: 'call.args.n > 1' },
      { id: 'b', when: 'true && moods.size() == 0' },
    );
    expect(compiled.map(({ id }) => id)).toEqual(['b']);
    expect(problems).toEqual([
      {
        path: ['policy', 'rules', 0, 'when'],
        message: 'unknown variable call.sever; did you mean call.server?',
        offset: 5,
      },
      { path: ['policy', 'rules', 2, 'id'], message: "there is another rule with the id 'b', at index 1" },
      { path: ['policy', 'rules', 2, 'when'], message: 'unknown variable moods', offset: 8 },
    ]);
  });

  test('a rule that hides tools knows only what is known when tools are listed', () => {
    const { problems } = compile(
      { id: 'a', then: 'hide', when: "call.server == 'mail' && call.args.to == 'x'" },
      { id: 'b', then: 'hide', when: "person.name == 'Ada'" },
      { id: 'c', then: 'hide', when: "call.server == 'mail' && call.annotations.destructiveHint && profile == 'team'" },
    );
    expect(problems.map(({ path }) => path[2])).toEqual([0, 1]);
    expect(problems[0]?.message).toBe(
      'a rule that hides tools knows only call.server, call.tool, call.annotations, profile, which are known without a call',
    );
  });

  test('ids such as __proto__ are ids like others', () => {
    const ids = ['__proto__', 'constructor', 'toString'];
    const { compiled, problems } = compile(...ids.map((id) => ({ id })));
    expect(problems).toEqual([]);
    expect(toDecidingRules(judge(compiled, facts(), now)).map(({ id }) => id)).toEqual(ids);
  });
});

describe('the work of a policy', () => {
  const items = Array.from({ length: 20_000 }, (_, at) => at);
  const nested = 'call.args.items.all(a, call.args.items.all(b, a + b >= 0))';

  test('a condition that takes too much work counts as a failure, also with other rules beside it', () => {
    const { verdict, decided } = verdictOf([{ when: nested }, { id: 'plain', then: 'deny' }], facts({ items }));
    expect(verdict?.kind).toBe('deny');
    expect(decided).toEqual([
      { id: 'r', effect: 'ask', mode: 'enforce', failed: true },
      { id: 'plain', effect: 'deny', mode: 'enforce' },
    ]);
  });

  test('all rules of a call share a limit of work, beyond which they count as failed', () => {
    const rules = Array.from({ length: 200 }, (_, at) => ({ id: `r${at}`, when: `${nested} && false` }));
    const { compiled } = compile(...rules);
    let work = 0;
    const counting = compiled.map((one) => ({
      ...one,
      condition: {
        ...one.condition,
        evaluate(values: never, budget: { left: number }) {
          const before = budget.left;
          try {
            return one.condition.evaluate(values, budget);
          } finally {
            work += before - Math.max(0, budget.left);
          }
        },
      },
    }));
    const outcomes = judge(counting, facts({ items }), now);
    expect(outcomes.every(({ effect, failure }) => effect === 'ask' && failure !== undefined)).toBe(true);
    expect(work).toBeLessThanOrEqual(100_000);
  });

  test('the reason of many rules names a few', () => {
    const rules = Array.from({ length: 200 }, (_, at) => ({ id: `r${at}` }));
    expect(verdictOf(rules, facts()).verdict?.reason).toMatch(/^the rule 'r0' applies; .*; and 195 more rules$/);
  });
});
