import { setTimeout as pause } from 'node:timers/promises';
import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import type { ApprovalView } from '../../../gateway/api/schemas/approvals.ts';
import type { QuestionView } from '../../../gateway/api/schemas/questions.ts';
import { messageOf, ToolwharfError } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ApprovalRequest, Approver } from '../../../policy/approval.ts';
import type { MessagePart } from '../../../storage/ports/conversation-store.ts';
import type { GatewayClient } from '../../backend/gateway-client.ts';
import { askSampling } from '../../terminal/ask-sampling.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { createTerminalQuestions } from '../../terminal/terminal-questions.ts';
import type { Floor } from './floor.ts';

export interface AttendantPorts {
  readonly gateway: GatewayClient;
  readonly chat: Pick<Chat, 'read' | 'watch'>;
  readonly terminal: Terminal;
  readonly floor: Floor;
  readonly approver: Approver;
}

const retryMs = 1_000;

/**
 * Puts what is asked in a conversation of a running gateway to the person at the terminal, one question after the other. What
 * somebody else answers first is withdrawn. Returns the function that ends that.
 */
export function attendConversation(conversation: string, ports: AttendantPorts): () => void {
  const { gateway, chat, terminal, floor, approver } = ports;
  const ending = new AbortController();
  const open = new Map<string, AbortController>();
  const asked = createTerminalQuestions(terminal);

  /** Puts one question, and posts the answer unless it is withdrawn meanwhile. */
  async function put(
    id: string,
    path: string,
    ask: (signal: AbortSignal) => Promise<object | undefined>,
  ): Promise<void> {
    if (open.has(id)) return;
    const withdrawn = new AbortController();
    open.set(id, withdrawn);
    const signal = AbortSignal.any([withdrawn.signal, ending.signal]);
    try {
      const answer = await floor.take(async () => (signal.aborted ? undefined : ask(signal)));
      if (!signal.aborted && answer) await gateway.post(`${path}/answer`, answer);
    } catch (cause) {
      if (signal.aborted) return;
      // Somebody was faster, or its call is over.
      const isOver = cause instanceof ToolwharfError && ['CONFLICT', 'GONE', 'NOT_FOUND'].includes(cause.code);
      terminal.note(isOver ? cause.message : `The question could not be answered: ${messageOf(cause)}`);
    }
  }

  function withdraw(id: string): void {
    open.get(id)?.abort();
  }

  async function putApproval(id: string): Promise<void> {
    const path = `/api/approvals/${encodeURIComponent(id)}`;
    await put(id, path, async (signal) => {
      const approval = await gateway.get<ApprovalView>(path);
      if (approval.status !== 'pending') return undefined;
      const { kind, ...answer } = await approver.ask(approval as ApprovalRequest, signal);
      return { answer: kind, ...answer };
    });
  }

  async function putQuestion({ id, kind, server, params }: QuestionView): Promise<void> {
    const path = `/api/questions/${encodeURIComponent(id)}`;
    const content = params as JsonObject;
    await put(id, path, async (signal) => {
      if (kind === 'elicitation') return asked.elicit?.(content, { server, signal });
      const isAllowed = await askSampling(terminal, { server, params: content }, signal);
      return { action: isAllowed ? 'accept' : 'decline' };
    });
  }

  function look(parts: readonly MessagePart[]): void {
    for (const part of parts) {
      if (part.type !== 'tool-call' || part.callId === undefined) continue;
      const before = asking.get(part.callId);
      if (before !== undefined && before !== part.approvalId) withdraw(before);
      if (part.status === 'asked' && part.approvalId !== undefined) {
        asking.set(part.callId, part.approvalId);
        void putApproval(part.approvalId);
      } else asking.delete(part.callId);
    }
  }

  /** The question about each call that waits for its answer. */
  const asking = new Map<string, string>();
  const unwatch = chat.watch(conversation, (event: ChatEvent) => {
    if (event.kind === 'part') look([event.part]);
    if (event.kind === 'message') look(event.message.parts);
  });
  void chat.read(conversation).then(
    (content) => look(content?.messages.at(-1)?.parts ?? []),
    () => {},
  );

  async function askOpenQuestions(): Promise<void> {
    const { questions } = await gateway.get<{ readonly questions: readonly QuestionView[] }>('/api/questions');
    for (const question of questions) if (question.conversation === conversation) void putQuestion(question);
  }

  /** Servers ask in the middle of calls, which no part of a message tells of. */
  async function followQuestions(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        const events = await gateway.events('/api/events', ending.signal);
        await askOpenQuestions();
        for await (const { name, data } of events) {
          if (name === 'question.asked') await askOpenQuestions();
          if (name === 'question.answered') withdraw((JSON.parse(data) as { readonly id: string }).id);
        }
      } catch {
        // The conversation's own events tell when the gateway is gone.
      }
      await pause(retryMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  }
  void followQuestions();

  return () => {
    ending.abort();
    unwatch();
  };
}
