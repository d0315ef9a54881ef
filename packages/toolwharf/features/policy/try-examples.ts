import type { PolicyExample } from '../../../contract/settings/policy-schema.ts';
import type { PastCall } from '../../plugins/plugin.ts';
import type { CompiledRule } from './compile-rules.ts';
import { readHistory } from './history.ts';
import { judge } from './judge.ts';
import type { CallFacts } from './variables.ts';

/** An example whose outcome is not the one that is written beside it. */
export interface FailedExample {
  /** 1 for the first example of the rule. */
  readonly number: number;
  readonly reason: string;
}

/** Tries a rule with its examples. A condition without a value is no outcome. */
export async function tryExamples(rule: CompiledRule, now: Date): Promise<readonly FailedExample[]> {
  const reasons = await Promise.all(rule.examples.map((example) => tryExample(rule, example, now)));
  return reasons.flatMap((reason, index) => (reason === undefined ? [] : [{ number: index + 1, reason }]));
}

async function tryExample(rule: CompiledRule, example: PolicyExample, present: Date): Promise<string | undefined> {
  const now = example.now === undefined ? present : new Date(example.now);
  const history = await readHistory([rule.condition], now, async () => ({ calls: toPast(example, now), isCut: false }));
  const [outcome] = judge([rule], { ...toFacts(example), history }, now);
  if (outcome?.failure !== undefined) return `the condition has no value: ${outcome.failure}`;
  const applies = outcome?.effect !== undefined;
  if (applies === example.applies) return undefined;
  return applies ? 'the rule applies, and should not' : 'the rule does not apply, and should';
}

/** Newest first. */
function toPast({ history = [] }: PolicyExample, now: Date): readonly PastCall[] {
  return history
    .toSorted((one, other) => one.ago - other.ago)
    .map(({ server, tool, args = {}, ago }) => ({
      ...{ server, tool, originalName: tool, at: new Date(now.getTime() - ago) },
      arguments: async () => args,
    }));
}

function toFacts({ call = {}, caller, client, person, profile }: PolicyExample): CallFacts {
  const { server, tool = '', name = tool, args = {}, annotations, parent } = call;
  return {
    ...{ server, tool: name, originalName: tool, arguments: args, annotations, parent, person, profile },
    caller: { ...caller, client: client && { name: '', ...client } },
  };
}
