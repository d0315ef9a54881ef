import { setTimeout as sleep } from 'node:timers/promises';
import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import type { QuestionView } from '../../../gateway/api/schemas/questions.ts';
import type { MessagePart } from '../../../storage/ports/conversation-store.ts';
import { createRequestPrompts, type PromptPorts } from '../../backend/request-prompts.ts';
import { approvalsOf } from './tool-row.ts';

export interface RequestPorts extends PromptPorts {
  readonly chat: Pick<Chat, 'read' | 'watch'>;
}

const retryMs = 1_000;

/**
 * Prompts the person at the terminal for the approvals and questions of a conversation in the gateway. A prompt closes if
 * somebody else answers first. Returns the function that stops prompting.
 */
export function promptForRequests(conversation: string, { chat, ...ports }: RequestPorts): () => void {
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
