import type { PolicyExample } from '../../../contract/settings/policy-schema.ts';
import type { CompiledRule } from './compile-rules.ts';
import { judge } from './judge.ts';
import type { CallFacts } from './variables.ts';

/** An example whose outcome is not the one that is written beside it. */
export interface FailedExample {
  /** 1 for the first example of the rule. */
  readonly number: number;
  readonly reason: string;
}

/** Tries a rule with its examples. A condition without a value is no outcome. */
export function tryExamples(rule: CompiledRule, now: Date): readonly FailedExample[] {
  return rule.examples.flatMap((example, index) => {
    const reason = tryExample(rule, example, now);
    return reason === undefined ? [] : [{ number: index + 1, reason }];
  });
}

function tryExample(rule: CompiledRule, example: PolicyExample, now: Date): string | undefined {
  const [outcome] = judge([rule], toFacts(example), example.now === undefined ? now : new Date(example.now));
  if (outcome?.failure !== undefined) return `the condition has no value: ${outcome.failure}`;
  const applies = outcome?.effect !== undefined;
  if (applies === example.applies) return undefined;
  return applies ? 'the rule applies, and should not' : 'the rule does not apply, and should';
}

function toFacts({ call = {}, caller, client, person, profile }: PolicyExample): CallFacts {
  const { server, tool = '', name = tool, args = {}, annotations, parent } = call;
  return {
    ...{ server, tool: name, originalName: tool, arguments: args, annotations, parent, person, profile },
    caller: { ...caller, client: client && { name: '', ...client } },
  };
}
