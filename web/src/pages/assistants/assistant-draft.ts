import type { Assistant, AssistantInput } from '../../api/client.ts';

/** An assistant in the form, with numbers as text. */
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
  readonly maxSteps: string;
  readonly maxTokens: string;
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
  maxSteps: '20',
  maxTokens: '',
};

export function toDraft(assistant: Assistant): AssistantDraft {
  return {
    name: assistant.name,
    description: assistant.description,
    instructions: assistant.instructions ?? '',
    model: assistant.model,
    serverIds: assistant.serverIds,
    disabledTools: assistant.disabledTools ?? [],
    expose: assistant.expose,
    toolApproval: assistant.toolApproval,
    trustedTools: assistant.trustedTools ?? [],
    maxSteps: String(assistant.maxSteps),
    maxTokens: assistant.maxTokens === undefined ? '' : String(assistant.maxTokens),
  };
}

/** The body of the request. The gateway validates it. */
export function toInput({ maxSteps, maxTokens, ...draft }: AssistantDraft): AssistantInput {
  return { ...draft, maxSteps: Number(maxSteps), maxTokens: maxTokens === '' ? undefined : Number(maxTokens) };
}

export function isSameDraft(one: AssistantDraft, other: AssistantDraft): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
