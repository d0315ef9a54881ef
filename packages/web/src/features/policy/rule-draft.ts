import { formFields } from '../../../../contract/form-fields.ts';
import type { api } from '../../api/client.ts';
import { toBody } from '../../components/settings-form/setting-values.ts';

type Rule = Awaited<ReturnType<typeof api.createPolicyRule>>;
export type NewRule = Parameters<typeof api.createPolicyRule>[0]['body'];

/** A rule in the form: its settings as the API takes them, also those that the form has no field for. */
export interface RuleDraft {
  readonly name: string;
  readonly when: string;
  readonly [setting: string]: unknown;
}

/** What the address of a rule ends with. Ids can have slashes, which the router would take for parts of the path. */
export const toKey = (id: string): string => encodeURIComponent(id);
export const addressOf = (id: string): string => `/rules/${encodeURIComponent(toKey(id))}`;

export const emptyDraft: RuleDraft = { name: '', when: '', then: 'ask', mode: 'shadow', onFailure: 'ask' };

export function toDraft({
  id: name,
  source: _source,
  readOnly: _reason,
  problem: _problem,
  updatedAt: _at,
  revision: _revision,
  ...settings
}: Rule): RuleDraft {
  return { ...settings, name };
}

/** The settings in the format of a request. */
export function toSettings({ name: _name, ...settings }: RuleDraft): Omit<NewRule, 'id'> {
  // Counts of the list are no settings.
  const { decided: _decided, failed: _failed, ...sent } = settings as Record<string, unknown>;
  return toBody(formFields.rule, sent) as Omit<NewRule, 'id'>;
}
