import { randomUUID } from 'node:crypto';
import type { AssistantTools } from '../../../chat/assistant-tools.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import { openGatewayClient } from '../../backend/gateway-client.ts';
import { isAskedAlways } from '../../backend/is-asked-always.ts';
import { createTerminalApprover } from '../../terminal/terminal-approver.ts';
import type { ChatHost, HostOptions } from './chat-host.ts';
import { createGatewaySettings } from './gateway-settings.ts';
import { rememberedNote } from './remembered-note.ts';
import { attendConversation } from './remote-attendant.ts';
import { createRemoteChat } from './remote-chat.ts';

interface Settings {
  readonly toolbox: { readonly approval: { readonly ask: readonly string[] } };
}

/** Conversations in the gateway that runs for the data directory. They go on there when this is closed. */
export async function openRemoteChat({ context, floor }: HostOptions): Promise<ChatHost> {
  const { terminal, env } = context;
  // Ending an answer is something to ask for after Ctrl-C too.
  const gateway = await openGatewayClient({ env, signal: new AbortController().signal });
  const { promise: lost, reject: onLost } = Promise.withResolvers<never>();
  lost.catch(() => {});
  const chat = createRemoteChat(gateway, { onLost });
  const settings = createGatewaySettings(gateway);
  const { toolbox } = await gateway.get<Settings>('/api/config');
  const approver = createTerminalApprover(terminal, {
    rememberedNote,
    isAskedAlways: (request) => isAskedAlways(request, toolbox.approval.ask),
    conversation: { env },
  });
  /** Assistants of our own, each with the one it was made from. */
  const own = new Map<string, Assistant>();

  /** Gives the conversations back to the assistants they are with, and leaves none of ours behind. */
  async function removeOwn(): Promise<void> {
    if (own.size === 0) return;
    for (const { id, assistantId } of await chat.list({ limit: 1_000 })) {
      const original = own.get(assistantId);
      if (original) await chat.update(id, { assistantId: original.id });
    }
    for (const id of own.keys()) await settings.assistants.remove(id);
  }

  return {
    chat,
    settings: {
      ...settings,
      assistants: {
        ...settings.assistants,
        list: async () => (await settings.assistants.list()).filter(({ id }) => !own.has(id)),
      },
    },
    gateway: gateway.url,
    async vary(assistant, changes) {
      const original = own.get(assistant.id) ?? assistant;
      const id = own.has(assistant.id) ? assistant.id : randomUUID();
      const varied = { ...assistant, ...changes, id, name: `${original.name.slice(0, 88)} (terminal)` };
      own.set(id, original);
      await settings.assistants.put(varied);
      return varied;
    },
    tools: ({ id: _, ...input }) => gateway.post<AssistantTools>('/api/assistants/preview', input),
    attend: (conversation) =>
      terminal.canAsk ? attendConversation(conversation, { gateway, chat, terminal, floor, approver }) : () => {},
    // Whoever else uses the gateway can be asked.
    unasked: new Set(),
    lost,
    async [Symbol.asyncDispose]() {
      await removeOwn().catch((cause) =>
        terminal.note(`The assistant of this chat could not be removed: ${messageOf(cause)}`),
      );
      await chat.close();
    },
  };
}
