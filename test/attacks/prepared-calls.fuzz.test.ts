import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../packages/contract/json.ts';
import { createMatcher } from '../../packages/contract/match-globs.ts';
import type { ApprovalAnswer } from '../../packages/toolwharf/index.ts';
import { toProgramValue } from '../../packages/toolwharf/kernel/decimal.ts';
import type { RememberedRule } from '../../packages/toolwharf/policy/remembered-rules.ts';
import { openJudged } from '../support/judged-toolbox.ts';

type Rule = Pick<RememberedRule, 'answer' | 'matching'>;

/** Patterns, each with values that match it, or look as if they did or did not. */
const cases: readonly { readonly pattern: string; readonly values: readonly unknown[] }[] = [
  {
    pattern: 'docs/*',
    values: ['docs/a', 'docs/../etc/passwd', 'docs/．．/x', 'docs/.\u200b./x', 'docs/..;/x', 'docs//a', 'x/docs/a'],
  },
  { pattern: '/etc/*', values: ['/etc/passwd', '//etc/passwd', '/%65tc/passwd', '／etc／passwd', '/tmp/x'] },
  {
    pattern: '*@example.com',
    values: ['ada@example.com', 'evil@attacker.test', 'evil@attacker.test\n@example.com'],
  },
  { pattern: '13', values: ['13', '13.0', ' 13', '1.3e1', 13, 14, '130'] },
  { pattern: '1??', values: ['100', '1e2', '1e3', 100, 1000, '1.0'] },
  { pattern: '1000000000000000000000', values: [1e21, '1e21'] },
  { pattern: 'true', values: [true, 'true', ' true', false] },
  { pattern: 'toolwharf-*', values: ['x', 5, ['y'], { z: 1 }] },
  { pattern: '*', values: ['', null, '[1,"2"]', '{"a":1}', 'two\nlines'] },
];
// The key of each stored value ends like an address of the company.
const stored = Object.fromEntries(cases.flatMap(({ values }) => values).map((one, at) => [`v${at}@example.com`, one]));
const keyOf = (one: unknown) => Object.keys(stored).find((key) => stored[key] === one) ?? '';
const lost = ['toolwharf-result:gone#/x@example.com', 'toolwharf-secret:gone#/13', 'toolwharf-result:c1#/missing'];

/** One of the values, or a reference to it. */
function given(values: readonly unknown[]): fc.Arbitrary<unknown> {
  const toForms = [
    (one: unknown) => one,
    (one: unknown) => `toolwharf-result:c1#/${keyOf(one)}`,
    (one: unknown) => ({ ref: `toolwharf-result:c1#/${keyOf(one)}`, type: 'text', size: 3 }),
    (one: unknown) => `toolwharf-secret:c1#/${keyOf(one)}`,
  ];
  return fc.tuple(fc.constantFrom(...values), fc.constantFrom(...toForms)).map(([one, toForm]) => toForm(one));
}

const leaf = fc.oneof(
  { weight: 6, arbitrary: given(Object.values(stored)) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(...lost) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
);
const other = fc.oneof({ weight: 3, arbitrary: leaf }, fc.array(leaf, { maxLength: 2 }), fc.record({ deep: leaf }));
const argumentsWith = (values: readonly unknown[]): fc.Arbitrary<JsonObject> =>
  fc.record(
    { a: fc.oneof({ weight: 8, arbitrary: given(values) }, other), b: other, ['__proto__']: other },
    { requiredKeys: ['a'] },
  );
const types = fc.constantFrom({}, ...['string', 'integer', 'number', 'boolean', 'array'].map((type) => ({ type })));
const inputSchema = fc
  .record({ a: types, b: types }, { requiredKeys: [] })
  .map((properties): JsonObject => ({ type: 'object', properties }));

function rulesWith(pattern: string): fc.Arbitrary<readonly Rule[]> {
  const rule = fc.record({
    answer: fc.constantFrom('allow' as const, 'deny' as const),
    matching: fc.oneof(
      { weight: 4, arbitrary: fc.constant({ a: pattern }) },
      fc.constantFrom(...cases.map((one) => ({ b: one.pattern }))),
    ),
  });
  return fc.array(rule, { minLength: 1, maxLength: 2 });
}

const answerWith = (values: readonly unknown[]) =>
  fc.oneof(
    fc.constant<ApprovalAnswer>({ kind: 'allow' }),
    fc.constant<ApprovalAnswer>({ kind: 'deny' }),
    argumentsWith(values).map((edited): ApprovalAnswer => ({ kind: 'allow', arguments: edited })),
  );

/** The decision by the plain text of what the server received. */
function decideLiterally(sent: JsonObject, rules: readonly Rule[], mode: string): string {
  const matches = ({ matching = {} }: Rule) =>
    Object.entries(matching).every(([name, glob]) => {
      const part = Object.hasOwn(sent, name) ? sent[name] : undefined;
      if (part === undefined || part === null || typeof part === 'object') return false;
      return createMatcher([glob])(String(part));
    });
  if (rules.some((one) => one.answer === 'deny' && matches(one))) return 'deny';
  if (rules.some((one) => one.answer === 'allow' && matches(one))) return 'allow';
  return mode === 'auto' ? 'allow' : 'ask';
}

/** The value with the secrets that its references stand for. */
function reveal(shown: unknown): unknown {
  if (typeof shown === 'string' && shown.startsWith('toolwharf-secret:c1#/')) return stored[shown.split('#/')[1] ?? ''];
  if (Array.isArray(shown)) return shown.map(reveal);
  if (!isObject(shown)) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, member]) => [name, reveal(member)]));
}

const scenario = fc.constantFrom(...cases).chain(({ pattern, values }) =>
  fc.record({
    options: fc.record({
      inputSchema,
      validation: fc.constantFrom('strict' as const, 'coerce' as const, 'off' as const),
      mode: fc.constantFrom('auto' as const, 'always-ask' as const),
      rules: rulesWith(pattern),
    }),
    args: argumentsWith(values),
    answered: answerWith(values),
  }),
);

test('rules, plugins, approvers, the journal and the server see the same arguments, and no call runs that they forbid [O7]', async () => {
  let runs = 0;
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async ({ options, args, answered }) => {
      await using box = await openJudged({ ...options, answer: () => answered });
      box.store('c1', stored);
      box.store('secret:c1', stored);
      const { callId, isError } = await box.call(args);
      runs++;
      const [sent, ...more] = box.server.received as JsonObject[];
      expect(more).toEqual([]);
      expect(sent === undefined).toBe(isError);
      if (!sent) return;
      ran++;
      expect(box.reviewed.at(-1)).toEqual(sent);
      const recorded = await box.recorded(callId);
      const isConverted = options.validation === 'coerce';
      // A secret is converted in what is sent only.
      if (!isConverted || !JSON.stringify(recorded).includes('toolwharf-secret:'))
        expect(reveal(toProgramValue(recorded))).toEqual(sent);
      const [asked, ...again] = box.asked;
      expect(again).toEqual([]);
      const isEdited = answered.kind === 'allow' && answered.arguments !== undefined;
      if (asked && !isEdited) expect(asked.arguments).toEqual(recorded);
      const decision = decideLiterally(sent, options.rules, options.mode);
      expect(decision).not.toBe('deny');
      if (decision === 'ask') expect([asked !== undefined, answered.kind]).toEqual([true, 'allow']);
    }),
    { numRuns: 500, seed: 20_261_118 },
  );
  // The property must not hold only because nothing ran.
  expect(ran).toBeGreaterThan(runs / 10);
});
