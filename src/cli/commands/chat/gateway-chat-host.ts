import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AssistantTools } from '../../../chat/assistant-tools.ts';
import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import type { QuestionView } from '../../../gateway/api/schemas/questions.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Assistant } from '../../../storage/ports/assistant-store.ts';
import type { MessagePart } from '../../../storage/ports/conversation-store.ts';
import { askPatternsOf, type GatewayClient } from '../../backend/gateway-client.ts';
import { createRequestPrompts, type PromptPorts } from '../../backend/request-prompts.ts';
import { createTerminalApprover, rulesNote } from '../../terminal/terminal-approver.ts';
import type { ChatHost, HostOptions } from './chat-host.ts';
import { createGatewaySettings } from './chat-settings.ts';
import { createGatewayChat } from './gateway-chat.ts';
import { approvalsOf } from './tool-row.ts';

const retryMs = 1_000;

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

interface RequestPorts extends PromptPorts {
  readonly chat: Pick<Chat, 'read' | 'watch'>;
}

/**
 * Prompts the person at the terminal for the approvals and questions of a conversation in the gateway. A prompt closes if
 * somebody else answers first. Returns the function that stops prompting.
 */
function promptForRequests(conversation: string, { chat, ...ports }: RequestPorts): () => void {
  const { gateway } = ports;
  const stopped = new AbortController();
  const prompts = createRequestPrompts(ports);
  /** The pending approvals of each call. */
  const approvals = new Map<string, readonly string[]>();

  function updateApprovals(parts: readonly MessagePart[]): void {
    for (const part of parts) {
      if (part.type !== 'tool-call' || part.callId === undefined) continue;
      const pending = approvalsOf(part);
      for (const before of approvals.get(part.callId) ?? []) if (!pending.includes(before)) prompts.close(before);
      approvals.set(part.callId, pending);
      for (const approval of pending) void prompts.promptForApproval(approval);
    }
  }

  const unwatch = chat.watch(conversation, (event: ChatEvent) => {
    if (event.kind === 'part') updateApprovals([event.part]);
    if (event.kind === 'message') updateApprovals(event.message.parts);
  });
  void chat.read(conversation).then(
    (content) => updateApprovals(content?.messages.at(-1)?.parts ?? []),
    () => {},
  );

  async function promptForPendingQuestions(): Promise<void> {
    const { questions } = await gateway.get<{ readonly questions: readonly QuestionView[] }>('/api/questions');
    for (const question of questions) {
      if (question.conversation === conversation) void prompts.promptForQuestion(question);
    }
  }

  /** Servers ask questions during calls; the conversation's own events do not include them. */
  async function followQuestions(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const events = await gateway.events('/api/events', stopped.signal);
        await promptForPendingQuestions();
        for await (const { event, data } of events) {
          if (event === 'question.asked') await promptForPendingQuestions();
          if (event === 'question.answered') prompts.close((JSON.parse(data) as { readonly id: string }).id);
        }
      } catch {
        // The stream of the conversation reports that the gateway is gone.
      }
      await sleep(retryMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
  }
  void followQuestions();

  return () => {
    stopped.abort();
    prompts.stop();
    unwatch();
  };
}
