import { idCountries, type RedactionAction, redactionClasses } from '../../../contract/settings/choices.ts';
import type { PluginRedactor, Redaction } from '../../plugins/plugin.ts';
import type { CarriedContent } from '../../policy/redaction.ts';
import { personalDataRules } from '../redaction/detect-personal-data.ts';
import { secretRules } from '../redaction/detect-secrets.ts';
import { detectAll, detectInTurns, redactTexts } from '../redaction/redact-texts.ts';
import type { Plan } from '../redaction/settings.ts';
import type { CompiledRule } from './compile-rules.ts';
import { judge } from './judge.ts';

const detectors = [...secretRules, ...personalDataRules(idCountries)];

/** Masks values in the arguments and results of the calls to which rules with `then: redact` apply. */
export function createRuleRedactor(rules: readonly CompiledRule[], now: () => number): PluginRedactor {
  const redactWith = (findings: ReturnType<typeof detectAll>, plan: Plan, { direction }: CarriedContent) =>
    redactTexts(findings, plan, direction, (kind) => `[${kind}]`);

  function redact(content: CarriedContent): Redaction | undefined {
    const plan = planFor(rules, content, new Date(now()));
    return plan && redactWith(detectAll(content.texts, plan), plan, content);
  }

  return {
    redact,
    async redactResult(content) {
      const plan = planFor(rules, content, new Date(now()));
      return plan && redactWith(await detectInTurns(content.texts, plan), plan, content);
    },
    // A value that comes back in the place of a mask is masked again. All others have been counted.
    restore(content) {
      const redaction = redact(content);
      const masked = redaction?.detections.filter(({ action }) => action === 'mask');
      return redaction?.texts ? { ...redaction, detections: masked ?? [] } : undefined;
    },
  };
}

/** What is masked; undefined if no rule applies. A message that belongs to no call is redacted as strictly as any call. */
function planFor(rules: readonly CompiledRule[], { call, direction }: CarriedContent, now: Date): Plan | undefined {
  if (direction === 'messages') return undefined;
  const applying = call ? applyingTo(rules, call, now) : rules;
  const actions = new Map<string, RedactionAction>();
  for (const { mode, classes = redactionClasses } of applying)
    for (const kind of classes) if (mode === 'enforce' || !actions.has(kind)) actions.set(kind, actionOf(mode));
  if (actions.size === 0) return undefined;
  return { actions, isReversible: false, rules: detectors.filter((detector) => actions.has(detector.class)) };
}

const actionOf = (mode: CompiledRule['mode']): RedactionAction => (mode === 'enforce' ? 'mask' : 'detect');

/** A rule without a value redacts, unless it allows that: nobody can be asked at this point. */
function applyingTo(
  rules: readonly CompiledRule[],
  { tool = '', originalName = tool, ...call }: NonNullable<CarriedContent['call']>,
  now: Date,
): readonly CompiledRule[] {
  return judge(rules, { ...call, tool, originalName, arguments: {} }, now).flatMap(({ rule, effect }) =>
    effect === undefined || effect === 'allow' ? [] : [rule],
  );
}
