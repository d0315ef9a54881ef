import type { DeepReadonly } from '../../../contract/json.ts';
import {
  type ContentDirection,
  contentDirections,
  idCountries,
  type RedactionAction,
  redactionActions,
  redactionClasses,
} from '../../../contract/settings/choices.ts';
import type { CheckedRedaction } from '../../../contract/settings/redaction-schema.ts';
import { closest } from '../../kernel/closest.ts';
import type { ConfigProblem } from '../../plugins/plugin.ts';
import { type CustomRule, compileCustomRule, type Rule } from './detect.ts';
import { personalDataRules } from './detect-personal-data.ts';
import { secretRules } from './detect-secrets.ts';

export type RedactionSettings = DeepReadonly<CheckedRedaction>;

/** What is looked for in one direction, and what happens to it. */
export interface Plan {
  readonly rules: readonly (Rule | CustomRule)[];
  readonly actions: ReadonlyMap<string, RedactionAction>;
  readonly isReversible: boolean;
}

/** Finds the plan for a profile; the strictest of all plans for a message that belongs to no call. */
export type FindPlan = (direction: ContentDirection, profile: string | undefined | typeof anyProfile) => Plan;
export const anyProfile = Symbol('any profile');

/** Compiles the settings. Reports patterns that RE2 does not know, and classes without a detector. */
export function compileSettings(settings: RedactionSettings, report: (problem: ConfigProblem) => void): FindPlan {
  const { patterns = {}, countries = idCountries, profiles = {} } = settings;
  const custom = Object.entries(patterns).flatMap(([name, pattern]) => {
    try {
      if ((redactionClasses as readonly string[]).includes(name))
        throw new Error(`'${name}' is the name of a class that has detectors`);
      return [compileCustomRule(name, pattern)];
    } catch (cause) {
      report({
        path: ['redaction', 'patterns', name],
        message: cause instanceof Error ? cause.message : String(cause),
      });
      return [];
    }
  });
  const all = [...secretRules, ...personalDataRules(countries), ...custom];
  const classes = [...redactionClasses, ...Object.keys(patterns)];
  for (const [path, part] of [
    [[], settings] as const,
    ...Object.entries(profiles).map(([name, of]) => [['profiles', name], of] as const),
  ])
    for (const direction of contentDirections)
      for (const name of Object.keys(part[direction] ?? {})) {
        if (classes.includes(name)) continue;
        const similar = closest(name, classes);
        const hint = similar === undefined ? "write its pattern under 'patterns'" : `did you mean '${similar}'?`;
        report({ path: ['redaction', ...path, direction, name], message: `there is no class '${name}'; ${hint}` });
      }

  const plans = new Map<string, Plan>();

  function planOf(direction: ContentDirection, profile: string | undefined): Plan {
    const key = `${direction} ${profile ?? ''}`;
    const known = plans.get(key);
    if (known) return known;
    const own = profile !== undefined && Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
    const actions = new Map(Object.entries({ ...settings[direction], ...own?.[direction] }));
    const plan = toPlan(actions, (own?.mask ?? settings.mask) === 'reversible');
    // Only profiles with settings of their own have plans of their own.
    if (own || profile === undefined) plans.set(key, plan);
    return plan;
  }

  function toPlan(actions: Plan['actions'], isReversible: boolean): Plan {
    return { actions, isReversible, rules: all.filter((rule) => (actions.get(rule.class) ?? 'off') !== 'off') };
  }

  return (direction, profile) => {
    if (profile !== anyProfile) return planOf(direction, profile);
    const strictest = new Map<string, RedactionAction>();
    for (const name of [undefined, ...Object.keys(profiles)])
      for (const [kind, action] of planOf(direction, name).actions)
        if (redactionActions.indexOf(action) > redactionActions.indexOf(strictest.get(kind) ?? 'off'))
          strictest.set(kind, action);
    return toPlan(strictest, false);
  };
}

/** Whether any profile masks results reversibly. */
export function hasReversibleMasks({ mask, profiles = {} }: RedactionSettings): boolean {
  return mask === 'reversible' || Object.values(profiles).some((profile) => profile.mask === 'reversible');
}
