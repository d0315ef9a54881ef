import { formFields } from '../../../../../contract/form-fields.ts';
import type { Assistant, AssistantInput } from '../../../api/client.ts';
import { toBody } from '../../../components/settings-form/setting-values.ts';

/** An assistant in the form: its settings as the API takes them, also those that only a newer gateway knows. */
export interface AssistantDraft {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly model: { readonly provider: string; readonly model: string };
  readonly serverIds: readonly string[];
  readonly disabledTools: readonly string[];
  readonly expose: Assistant['expose'];
  readonly toolApproval: Assistant['toolApproval'];
  readonly trustedTools: readonly string[];
  readonly [setting: string]: unknown;
}

export const demoModel = { provider: 'demo', model: 'demo' };

export const emptyDraft: AssistantDraft = {
  name: '',
  description: '',
  instructions: '',
  model: demoModel,
  serverIds: [],
  disabledTools: [],
  expose: 'all',
  toolApproval: 'always-ask',
  trustedTools: [],
};

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
