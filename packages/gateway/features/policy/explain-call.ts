import type { z } from 'zod';
import type { explanationSchema } from '../../../contract/api/policy.ts';
import type { ApprovalConfig } from '../../../contract/settings/config.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import type { CompiledRule } from '../../../toolwharf/features/policy/compile-rules.ts';
import { judge, type RuleOutcome, readValues, toVerdict } from '../../../toolwharf/features/policy/judge.ts';
import type { CallRecord } from '../../../toolwharf/invocation/call-record.ts';
import { decide } from '../../../toolwharf/policy/decide.ts';
import type { RememberedRule } from '../../../toolwharf/policy/remembered-rules.ts';
import { restricts } from '../../../toolwharf/policy/tool-patterns.ts';
import type { RecordedCall } from './recorded-call.ts';
import { rulesFor } from './replay.ts';

type Explanation = z.input<typeof explanationSchema>;
type Line = Omit<Explanation['lines'][number], 'decided'>;

export interface ExplainOptions {
  readonly record: CallRecord;
  readonly recorded: RecordedCall;
  /** Undefined for a tool that is gone, and for reads. */
  readonly entry: CatalogEntry | undefined;
  readonly approval: ApprovalConfig;
  readonly remembered: readonly RememberedRule[];
  readonly rules: readonly CompiledRule[];
}

/** Every line of the configuration that could decide a call, with those that do: the strictest ones. */
export function explainCall(options: ExplainOptions): Explanation {
  const { record, recorded, entry, rules } = options;
  const settings = entry ? explainSettings(options, entry) : explainRead(options);
  const outcomes = judge(rulesFor(record, rules), recorded.facts, new Date(record.createdAt));
  const verdict = toVerdict(outcomes)?.kind;
  const decision = strictest(settings.decision, verdict);
  const lines = [...settings.lines, ...outcomes.map((outcome) => explainRule(outcome, record, recorded))];
  return {
    decision,
    lines: lines.map((line) => ({
      ...line,
      decided: line.shadow !== true && decides(line, decision, settings.deciding),
    })),
    notes: notesOf(options),
  };
}

type Decision = Explanation['decision'];

function strictest(settings: Decision, policy: 'ask' | 'deny' | undefined): Decision {
  if (settings === 'deny' || policy === 'deny') return 'deny';
  return settings === 'ask' || policy === 'ask' ? 'ask' : 'allow';
}

/** Of the settings only the first line decides; of the policy every rule that says the same as the decision. */
function decides(line: Line, decision: Decision, deciding: Line | undefined): boolean {
  if (line.source !== 'policy') return line === deciding && line.effect === decision;
  return decision !== 'allow' && (line.effect === 'hide' ? 'deny' : line.effect) === decision;
}

interface ExplainedSettings {
  readonly decision: Decision;
  readonly lines: readonly Line[];
  readonly deciding: Line | undefined;
}

function explainSettings(options: ExplainOptions, tool: CatalogEntry): ExplainedSettings {
  const { record, recorded, approval, remembered } = options;
  const { caller } = record;
  const facts = { tool, caller, args: recorded.facts.arguments, hasExtraParams: record.extraParams !== undefined };
  const bare: ApprovalConfig = { ...approval, mode: 'always-ask', deny: [], ask: [], trustedTools: [] };
  const accepted = { ...tool, changed: undefined };
  // A rule alone, beside settings that would ask, shows whether it holds for the call.
  const holding = remembered.flatMap((rule) => {
    const { kind } = decide({ ...facts, tool: accepted, approval: bare, remembered: [rule] });
    return kind === 'ask' ? [] : [{ rule, kind }];
  });
  const byMode = decide({ ...facts, tool: accepted, approval: { ...approval, deny: [], ask: [] }, remembered: [] });
  const lists = (['deny', 'ask'] as const).map((effect): Line => {
    const patterns = approval[effect].filter((pattern) => restricts([pattern], tool));
    const shown = patterns.length > 0 ? `names the tool: ${patterns.join(', ')}` : 'does not name the tool';
    return { source: `${effect}-list`, text: `approval.${effect} ${shown}`, ...(patterns.length > 0 && { effect }) };
  });
  const toLine = ({ rule, kind }: (typeof holding)[number]): Line => ({
    source: 'remembered',
    text: `a remembered answer ${kind === 'deny' ? 'denies' : 'allows'} it (${rule.scope}, for ${rule.audience ?? rule.scope})`,
    ...{ effect: kind, rule: rule.id },
  });
  const definition: Line[] =
    tool.changed === undefined
      ? []
      : [
          {
            source: 'definition',
            text: 'the definition of the tool changed since it was accepted',
            effect: tool.changed === 'ask' ? 'ask' : 'deny',
          },
        ];
  const mode: Line = {
    source: 'mode',
    text: byMode.kind === 'allow' ? byMode.because : byMode.reason,
    effect: byMode.kind,
  };
  const [denyList, askList] = lists as [Line, Line];
  const lines = [
    ...[denyList, ...holding.filter(({ kind }) => kind === 'deny').map(toLine), ...definition, askList],
    ...[...holding.filter(({ kind }) => kind === 'allow').map(toLine), mode],
  ];
  const { kind: decision } = decide({ ...facts, approval, remembered });
  return { decision, lines, deciding: lines.find(({ effect }) => effect === decision) };
}

/** Lists of tools do not apply to reads. */
function explainRead({ record, approval }: ExplainOptions): ExplainedSettings {
  if (record.kind !== 'resource' && record.kind !== 'prompt')
    return { decision: 'allow', lines: [], deciding: undefined };
  const effect = approval.reads;
  const line: Line = { source: 'mode', text: `approval.reads is ${effect}`, effect };
  return { decision: effect, lines: [line], deciding: line };
}

function explainRule({ rule, effect, failure }: RuleOutcome, record: CallRecord, { facts }: RecordedCall): Line {
  const { id, when, mode, condition } = rule;
  return {
    ...{ source: 'policy', rule: id, text: when },
    ...(effect !== undefined && { effect }),
    ...(mode === 'shadow' && { shadow: true }),
    ...(failure !== undefined && { failure }),
    values: readValues(condition, facts, new Date(record.createdAt)),
  };
}

function notesOf({ record, recorded, entry }: ExplainOptions): readonly string[] {
  const isTool = record.kind === undefined;
  return [
    ...(isTool && !entry ? ['The tool is not listed any more: only the rules of the policy are shown.'] : []),
    ...[...recorded.unknown].map((name) => `The journal does not have ${name} of this call.`),
    ...(record.caller.user === undefined ? [] : ['The person has the groups of their last sign-in.']),
  ];
}
