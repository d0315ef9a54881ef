import { createMatcher } from '../../../contract/match-globs.ts';
import type { FlowRule, FlowsConfig, LabelRule } from '../../../contract/settings/config.ts';
import { closest } from '../../kernel/closest.ts';
import type { ConfigProblem } from '../../plugins/plugin.ts';
import { type Condition, ConditionError, type ConditionVariable, compileCondition } from '../policy/cel/compile.ts';
import { policyVariables } from '../policy/variables.ts';

/** A label whose condition can be evaluated. */
export interface CompiledLabel extends LabelRule {
  readonly condition?: Condition;
  /** Whether the label is for the results of a tool, as far as names say. */
  readonly isFor: (server: string | undefined, tool: string) => boolean;
}

/** A data flow whose condition can be evaluated. */
export interface CompiledFlow extends FlowRule {
  readonly condition: Condition;
}

/** The variables that only conditions of single results know. */
export const resultVariables: readonly (ConditionVariable & { readonly description: string })[] = [
  { name: 'result.text', type: 'string', description: 'The texts of the result, one in each line.' },
  { name: 'result.value', type: 'map', description: 'The structured content of the result. Empty if it has none.' },
  { name: 'result.isError', type: 'bool', description: 'Whether the tool reports a failure.' },
];

const listedVariables = policyVariables.filter(({ isListed }) => isListed);

/** Compiles labels and flows. Reports each that cannot be compiled, with the position in its condition, and leaves it out. */
export function compileFlows(
  { labels, flows }: Pick<FlowsConfig, 'labels' | 'flows'>,
  report: (problem: ConfigProblem) => void,
): { readonly labels: readonly CompiledLabel[]; readonly flows: readonly CompiledFlow[] } {
  const names = new Set(labels.map(({ add }) => add));
  const ids = new Map<string, number>();
  return {
    labels: labels.flatMap((label, index) => compileLabel(label, ['policy', 'labels', index], report) ?? []),
    flows: flows.flatMap((flow, index) => {
      const path = ['policy', 'flows', index];
      const earlier = ids.get(flow.id);
      if (earlier !== undefined)
        report({
          path: [...path, 'id'],
          message: `there is another flow with the id '${flow.id}', at index ${earlier}`,
        });
      ids.set(flow.id, index);
      for (const [at, name] of flow.from.entries()) {
        // Other labels come from plugins. A misspelt label would be a flow that never applies.
        const similar = names.has(name) ? undefined : closest(name, [...names]);
        if (similar !== undefined)
          report({
            path: [...path, 'from', at],
            message: `nothing under 'labels' adds the label '${name}'; did you mean '${similar}'?`,
          });
      }
      const condition = compile(flow.to, policyVariables, [...path, 'to'], report);
      return condition ? [{ ...flow, condition }] : [];
    }),
  };
}

function compileLabel(
  label: LabelRule,
  path: readonly (string | number)[],
  report: (problem: ConfigProblem) => void,
): CompiledLabel | undefined {
  const { on, match, when } = label;
  if (!match && when === undefined) {
    report({ path: [...path], message: "it needs 'match' or 'when': without one, the label would be on every result" });
    return undefined;
  }
  const variables = on === 'result' ? [...policyVariables, ...resultVariables] : listedVariables;
  const condition = when === undefined ? undefined : compile(when, variables, [...path, 'when'], report);
  if (when !== undefined && !condition) return undefined;
  const matches = match && createMatcher(match);
  const isFor = (server: string | undefined, tool: string) =>
    !matches ||
    (on === 'server'
      ? server !== undefined && matches(server)
      : matches(server === undefined ? tool : `${server}/${tool}`));
  return { ...label, isFor, ...(condition && { condition }) };
}

function compile(
  text: string,
  variables: readonly ConditionVariable[],
  path: readonly (string | number)[],
  report: (problem: ConfigProblem) => void,
): Condition | undefined {
  try {
    return compileCondition(text.normalize(), variables);
  } catch (cause) {
    if (!(cause instanceof ConditionError)) throw cause;
    report({ path: [...path], message: cause.reason, offset: cause.at });
    return undefined;
  }
}
