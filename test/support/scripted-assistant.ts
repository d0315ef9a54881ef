import { randomUUID } from 'node:crypto';
import {
  type Script,
  type ScriptedChat,
  type ScriptedTurn,
  startScriptedChat,
} from '../fixtures/models/scripted-chat-server.ts';
import type { RequestOptions, TestApi } from './api.ts';
import { waitFor } from './wait-for.ts';

export interface ScriptedAssistant extends AsyncDisposable {
  /** The server that simulates the model. */
  readonly model: ScriptedChat;
  readonly id: string;
  readonly provider: string;
  /** Creates a conversation and returns its path. */
  begin(options?: RequestOptions): Promise<{ readonly id: string; readonly path: string }>;
}

/** An assistant of a gateway with a scripted model. */
export async function addScriptedAssistant(
  api: TestApi,
  script: readonly Script[] | Exclude<Script, ScriptedTurn>,
  settings: object = {},
): Promise<ScriptedAssistant> {
  const model = await startScriptedChat(script, { apiKey: 'sk-scripted' });
  const made = await api.post('/api/providers', {
    name: 'Scripted',
    kind: 'openai-compatible',
    baseUrl: model.url,
    apiKey: 'sk-scripted',
  });
  const provider = String(made.body.id);
  const id = randomUUID();
  const choice = { provider, model: 'scripted' };
  await api.put(`/api/assistants/${id}`, { name: 'Scribe', model: choice, serverIds: ['files'], ...settings });
  return {
    model,
    id,
    provider,
    async begin(options = {}) {
      const { body } = await api.post('/api/conversations', { assistantId: id }, options);
      return { id: String(body.id), path: `/api/conversations/${body.id}` };
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

/** Waits until the conversation is idle and returns its last message. */
export async function answerIn(api: TestApi, path: string, options: RequestOptions = {}) {
  const found = await waitFor(
    async () => {
      const { body } = await api.get(path, options);
      return body.conversation.status === 'idle' && body.messages.at(-1);
    },
    { what: 'the answer' },
  );
  return found as { id: string; status: string; problem?: string; parts: { type: string; text?: string }[] };
}
