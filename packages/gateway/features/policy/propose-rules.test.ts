import { expect, test } from 'vitest';
import { compileRules } from '../../../toolwharf/features/policy/compile-rules.ts';
import { judge } from '../../../toolwharf/features/policy/judge.ts';
import { proposeRules } from './propose-rules.ts';

const answers = (count: number, path: unknown, isAllowed = true, originalName = 'read') =>
  Array.from({ length: count }, () => ({ server: 'files', originalName, arguments: { path }, isAllowed }));

async function* stream<Item>(items: readonly Item[]) {
  yield* items;
}

test('a folder in which people always allowed becomes a rule that asks about everything else, in shadow mode', async () => {
  const [proposal, ...others] = await proposeRules(
    stream([...answers(200, 'docs/a.md'), ...answers(12, 'docs/b/c.md')]),
  );
  expect(others).toEqual([]);
  expect(proposal).toMatchObject({
    tool: 'files/read',
    answers: 212,
    people: 'allow',
    argument: 'path',
    folder: 'docs/',
  });
  expect(proposal?.rule).toMatchObject({ id: 'ask files/read outside docs/', then: 'ask', mode: 'shadow' });
  expect(proposal?.yaml).toContain('    - id: "ask files/read outside docs/"\n      when: "call.server == ');
  const rules = compileRules([{ ...proposal?.rule, onFailure: 'ask', examples: [] } as never], ({ message }) => {
    throw new Error(message);
  });
  const applies = (path: unknown) => {
    const facts = { server: 'files', tool: 'f__read', originalName: 'read', arguments: { path }, caller: {} };
    return judge(rules, facts, new Date())[0]?.effect !== undefined;
  };
  expect(['docs/x', 'docs/../etc', '/etc/passwd', 7].map(applies)).toEqual([false, true, true, true]);
});

test('a tool that people always allowed anywhere is proposed as trusted, and one that they always denied as denied', async () => {
  const all = [...answers(10, 'a'), ...answers(10, 'b', false, 'remove'), ...answers(9, 'c', true, 'rare')];
  expect(await proposeRules(stream(all))).toEqual([
    {
      tool: 'files/read',
      answers: 10,
      people: 'allow',
      yaml: 'toolbox:\n  approval:\n    trustedTools: ["files/read"]\n',
    },
    expect.objectContaining({ tool: 'files/remove', people: 'deny', rule: expect.objectContaining({ then: 'deny' }) }),
  ]);
});

test('where people answered in both ways, only folders with one answer are proposed', async () => {
  const all = [
    ...answers(20, 'docs/a'),
    ...answers(15, 'secrets/a', false),
    ...answers(20, 'src/a'),
    ...answers(1, 'src/b', false),
  ];
  const proposals = await proposeRules(stream(all));
  expect(proposals.map(({ people, folder, rule }) => [people, folder, rule?.then])).toEqual([
    ['allow', 'docs/', 'ask'],
    ['deny', 'secrets/', 'deny'],
  ]);
});
