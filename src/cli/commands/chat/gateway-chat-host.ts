import { randomUUID } from 'node:crypto';
import type { AssistantTools } from '../../../chat/assistant-tools.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import { askPatternsOf, type GatewayClient } from '../../backend/gateway-client.ts';
import { createTerminalApprover, rulesNote } from '../../terminal/terminal-approver.ts';
import type { ChatHost, HostOptions } from './chat-host.ts';
import { createGatewaySettings } from './chat-settings.ts';
import { createGatewayChat } from './gateway-chat.ts';
import { promptForRequests } from './prompt-for-requests.ts';

/** Opens conversations in the running gateway. They continue there after the host is closed. */
export async function openGatewayChat(gateway: GatewayClient, { context, lock }: HostOptions): Promise<ChatHost> {
  const { terminal, env } = context;
  const { promise: lost, reject: onLost } = Promise.withResolvers<never>();
  lost.catch(() => {});
  const chat = createGatewayChat(gateway, { onLost });
  const settings = createGatewaySettings(gateway);
  const askPatterns = await askPatternsOf(gateway);
  const promptOptions = { rememberedNote: rulesNote, askPatterns, extended: { env } };
  const approver = createTerminalApprover(terminal, () => promptOptions);
  /** The original of each temporary assistant, by the id of the temporary one. */
  const originals = new Map<string, Assistant>();

  /** Returns the conversations to the original assistants and removes the temporary ones. */
  async function removeTemporary(): Promise<void> {
    if (originals.size === 0) return;
    for (const { id, assistantId } of await chat.list({ limit: 1_000 })) {
      const original = originals.get(assistantId);
      if (original) await chat.update(id, { assistantId: original.id });
    }
    for (const id of originals.keys()) await settings.assistants.remove(id);
  }

  return {
    chat,
    settings: {
      ...settings,
      assistants: {
        ...settings.assistants,
        list: async () => (await settings.assistants.list()).filter(({ id }) => !originals.has(id)),
      },
    },
    gateway: gateway.url,
    async override(assistant, overrides) {
      const original = originals.get(assistant.id) ?? assistant;
      const id = originals.has(assistant.id) ? assistant.id : randomUUID();
      const temporary = { ...assistant, ...overrides, id, name: `${original.name.slice(0, 88)} (terminal)` };
      originals.set(id, original);
      await settings.assistants.put(temporary);
      return temporary;
    },
    tools: ({ id: _, ...input }) => gateway.post<AssistantTools>('/api/assistants/preview', input),
    attend: (conversation) =>
      terminal.canAsk ? promptForRequests(conversation, { gateway, chat, terminal, lock, approver }) : () => {},
    // Approvals can be answered by other users of the gateway.
    unanswerable: new Set(),
    lost,
    async [Symbol.asyncDispose]() {
      await removeTemporary().catch((cause) =>
        terminal.note(`Removing the temporary assistant of this chat failed: ${messageOf(cause)}`),
      );
      await chat.close();
    },
  };
}
