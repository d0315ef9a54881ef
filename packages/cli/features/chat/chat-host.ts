import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../contract/errors.ts';
import type { Assistant } from '../../../contract/records/assistant.ts';
import type { Conversation, MessagePart } from '../../../contract/records/conversation.ts';
import type { ChatEvent } from '../../../gateway/features/chat/chat.ts';
import type { Approver } from '../../../toolwharf/policy/approval.ts';
import { askPatternsOf, type GatewayClient } from '../../core/client/gateway-client.ts';
import { warnUnavailable } from '../../core/client/known-server.ts';
import { locateStore, openStore } from '../../core/client/open-store.ts';
import { createRequestPrompts, type PromptPorts } from '../../core/client/request-prompts.ts';
import { selectGateway } from '../../core/client/select-gateway.ts';
import type { CommandContext } from '../../core/command-context.ts';
import { createTerminalApprover, rulesNote } from '../../core/terminal/terminal-approver.ts';
import type { TerminalLock } from '../../core/terminal/terminal-lock.ts';
import { type ChatSettings, createSettings } from './chat-settings.ts';
import { createGatewayChat, type GatewayChat } from './gateway-chat.ts';
import { approvalsOf } from './tool-row.ts';

/** The settings of an assistant that a chat can override. */
export type AssistantOverrides = Partial<Pick<Assistant, 'model' | 'serverIds' | 'toolApproval' | 'expose'>>;

/** Runs conversations in a gateway, the running one or one in this process. */
export interface ChatHost extends AsyncDisposable {
  readonly chat: GatewayChat;
  readonly settings: ChatSettings;
  /** Whether the gateway is in this process, and ends with the chat. */
  readonly isOwn: boolean;
  /** Overrides settings of an assistant for the conversations of this host; returns the assistant to use. */
  override(assistant: Assistant, overrides: AssistantOverrides): Promise<Assistant>;
  /** The tools that an assistant can use now. */
  tools(assistant: Assistant): ReturnType<GatewayClient['previewAssistant']>;
  /** Prompts the person at the terminal for everything a conversation asks; returns the function that stops it. */
  attend(conversation: string): () => void;
  /** Denies an approval that a call waits for, because there is no terminal. */
  denyUnanswerable(callId: string, approval: string): Promise<void>;
  /** The ids of calls that were denied because there is no terminal. */
  readonly unanswerable: ReadonlySet<string>;
  /** Rejects when the connection to the gateway is lost. */
  readonly lost: Promise<never>;
}

/** The owner of conversations started on the command line: the administrator, as with the gateway's admin token. */
export const owner = 'admin';

/** The conversations of the person at the terminal, latest first. The local user of the web app is the same person. */
export async function listOwnConversations(chat: Pick<GatewayChat, 'list'>): Promise<readonly Conversation[]> {
  const conversations = await chat.list();
  return conversations.filter((conversation) => conversation.owner === owner || conversation.owner === 'local');
}

const retryMs = 1_000;

/** Opens conversations in the running gateway, where they continue after the host is closed, or else in a gateway of this process. */
export async function openChatHost(context: CommandContext, lock: TerminalLock): Promise<ChatHost> {
  const { terminal, env } = context;
  // Not the signal of the command: an answer must be stopped after Ctrl-C too.
  const { signal } = new AbortController();
  const running = await selectGateway({ ...context, signal });
  const unanswerable = new Set<string>();
  const own = running ? undefined : await openOwn(context, signal, unanswerable);
  const gateway = running ?? (own as NonNullable<typeof own>).client;
  const { promise: lost, reject: onLost } = Promise.withResolvers<never>();
  lost.catch(() => {});
  const chat = createGatewayChat(gateway, { onLost });
  const settings = createSettings(gateway);
  const askPatterns = await askPatternsOf(gateway);
  const promptOptions = { rememberedNote: rulesNote, askPatterns, extended: { env } };
  const approver = createTerminalApprover(terminal, () => promptOptions);
  /** The original of each temporary assistant, by the id of the temporary one. */
  const originals = new Map<string, Assistant>();

  /** Returns the conversations to the original assistants and removes the temporary ones. */
  async function removeTemporary(): Promise<void> {
    if (originals.size === 0) return;
    for (const { id, assistantId } of await chat.list()) {
      const original = originals.get(assistantId);
      if (original) await chat.update(id, { assistantId: original.id });
    }
    for (const id of originals.keys()) await settings.removeAssistant(id);
  }

  return {
    chat,
    settings: {
      ...settings,
      assistants: async () => (await settings.assistants()).filter(({ id }) => !originals.has(id)),
    },
    isOwn: own !== undefined,
    async override(assistant, overrides) {
      const original = originals.get(assistant.id) ?? assistant;
      const id = originals.has(assistant.id) ? assistant.id : randomUUID();
      const temporary = { ...assistant, ...overrides, id, name: `${original.name.slice(0, 88)} (terminal)` };
      originals.set(id, original);
      await settings.putAssistant(temporary);
      return temporary;
    },
    tools: ({ id: _, ...input }) => gateway.previewAssistant({ body: input }),
    attend: (conversation) =>
      terminal.canAsk ? promptForRequests(conversation, { gateway, chat, terminal, lock, approver }) : () => {},
    async denyUnanswerable(callId, approval) {
      unanswerable.add(callId);
      const body = { answer: 'deny', reason: 'the chat has no terminal to ask at' } as const;
      await gateway.answerApproval({ path: { approval }, body });
    },
    unanswerable,
    lost,
    async [Symbol.asyncDispose]() {
      await removeTemporary().catch((cause) =>
        terminal.note(`Removing the temporary assistant of this chat failed: ${messageOf(cause)}`),
      );
      await chat.close();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

/** Opens a gateway in this process with the store of the data directory, which is created if missing. */
async function openOwn(context: CommandContext, requestSignal: AbortSignal, unanswerable: Set<string>) {
  const nobody: Approver = {
    async ask({ callId, reason }) {
      unanswerable.add(callId);
      return { kind: 'deny', reason: `${reason}, and no approver is available` };
    },
  };
  const { canAsk } = context.terminal;
  const { storage } = await openStore(await locateStore(context));
  const { openOwnGateway } = await import('../../core/client/open-own-gateway.ts');
  const own = await openOwnGateway(context, {
    storage,
    isAttended: canAsk,
    approver: canAsk ? undefined : nobody,
    waitForServers: false,
    requestSignal,
    // The answer itself reports that its model failed.
    suppressLog: ({ event }) => event === 'chat.model-failed',
  });
  const { servers } = await own.client.listServers();
  warnUnavailable(
    servers.filter(({ name }) => !own.reported.has(name)),
    context.terminal,
  );
  return own;
}

interface RequestPorts extends PromptPorts {
  readonly chat: Pick<GatewayChat, 'read' | 'watch'>;
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
    const { questions } = await gateway.listQuestions();
    for (const question of questions) {
      if (question.conversation === conversation) void prompts.promptForQuestion(question);
    }
  }

  /** Servers ask questions during calls; the conversation's own events do not include them. */
  async function followQuestions(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const events = await gateway.listenToEvents({ signal: stopped.signal });
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
