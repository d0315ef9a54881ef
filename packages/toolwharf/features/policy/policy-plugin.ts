import { type ConfiguredHooks, definePlugin, type ListedTool, type Plugin, type Viewer } from '../../plugins/plugin.ts';
import { type CompiledRule, compileRules } from './compile-rules.ts';
import { readHistory } from './history.ts';
import { judge, type RuleOutcome, toDecidingRules, toVerdict } from './judge.ts';
import { createRuleRedactor } from './rule-redactor.ts';

export interface PolicyOptions {
  readonly now?: () => number;
}

/** Applies the section `policy` of the configuration. Without rules it has no hooks, so that calls do not wait for it. */
export function createPolicyPlugin({ now }: PolicyOptions = {}): Plugin {
  return definePlugin({
    name: 'toolwharf.policy',
    section: 'policy',
    configure: (config, report) => createHooks(compileRules(config.policy?.rules ?? [], report), now),
  });
}

/** The hooks for rules; none without rules, so that calls do not wait for them. */
export function createHooks(rules: readonly CompiledRule[], now: () => number = Date.now): ConfiguredHooks {
  if (rules.length === 0) return {};
  const hiding = rules.filter(({ then, mode }) => then === 'hide' && mode === 'enforce');
  const forReads = rules.filter(({ then }) => then !== 'hide');
  const redacting = rules.filter(({ then }) => then === 'redact');
  return {
    async review(call, context) {
      const moment = new Date(now());
      const judging = call.kind === 'tool' ? rules : forReads;
      const conditions = judging.map(({ condition }) => condition);
      const history = await readHistory(conditions, moment, (since) => context.history(call, { since }));
      const outcomes = judge(judging, history ? { ...call, history } : call, moment);
      const labels = labelsOf(outcomes);
      return {
        ...(toVerdict(outcomes) ?? { kind: 'allow' }),
        rules: toDecidingRules(outcomes),
        ...(labels.length > 0 && { labels }),
      };
    },
    ...(redacting.length > 0 && { redactor: createRuleRedactor(redacting, now) }),
    ...(hiding.length > 0 && { list: (tool, viewer) => isShown(hiding, tool, viewer, now) }),
  };
}

/** The labels that the rules add, which the call and its result get. */
function labelsOf(outcomes: readonly RuleOutcome[]): readonly string[] {
  const added = outcomes.flatMap(({ rule: { add, mode }, effect }) =>
    effect === 'label' && mode === 'enforce' && add !== undefined ? [add] : [],
  );
  return [...new Set(added)];
}

/** A tool is hidden if a rule applies to it, or cannot be evaluated and does not allow that. */
function isShown(hiding: readonly CompiledRule[], tool: ListedTool, { profile }: Viewer, now: () => number): boolean {
  const { server, name, originalName, annotations } = tool;
  const listed = { server, tool: name, originalName, annotations, profile, arguments: {}, caller: {} };
  return judge(hiding, listed, new Date(now())).every(({ effect }) => effect === undefined || effect === 'allow');
}
