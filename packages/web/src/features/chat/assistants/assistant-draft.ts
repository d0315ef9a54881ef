import { formFields } from '../../../../../contract/form-fields.ts';
import type { Assistant, AssistantInput } from '../../../api/client.ts';
import { fieldsFor, type SettingValues, toBody } from '../../../components/settings-form/setting-values.ts';

/** An assistant in the form: its settings as the API takes them, also those that only a newer gateway knows. */
export type AssistantDraft = SettingValues &
  Pick<Required<Assistant>, 'name' | 'description' | 'instructions' | 'model' | 'expose' | 'toolApproval'> & {
    readonly [Key in 'serverIds' | 'disabledTools' | 'trustedTools']: readonly string[];
  };

export const demoModel = { provider: 'demo', model: 'demo' };

const shownAtOnce = fieldsFor('assistant', [
  ...['description', 'instructions', 'model', 'serverIds', 'disabledTools', 'trustedTools'],
  ...['expose', 'toolApproval'],
]);

/** A new assistant with the defaults of the contract. */
export const emptyDraft = {
  ...Object.fromEntries(shownAtOnce.map((field) => [field.key, field.default])),
  name: '',
} as AssistantDraft;

export function toDraft({
  id: _id,
  revision: _revision,
  instructions = '',
  disabledTools = [],
  trustedTools = [],
  ...rest
}: Assistant): AssistantDraft {
  return { ...rest, instructions, disabledTools, trustedTools };
}

/** The body of the request. The gateway validates it. */
export function toInput({ name, model, instructions, ...settings }: AssistantDraft): AssistantInput {
  return { ...toBody(formFields.assistant, settings), name, model, instructions };
}
