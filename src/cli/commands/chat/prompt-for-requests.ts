import { setTimeout as sleep } from 'node:timers/promises';
import type { Chat, ChatEvent } from '../../../chat/chat.ts';
import type { ApprovalView } from '../../../gateway/api/schemas/approvals.ts';
import type { QuestionView } from '../../../gateway/api/schemas/questions.ts';
import { messageOf, ToolwharfError } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { ApprovalRequest, Approver } from '../../../policy/approval.ts';
import type { MessagePart } from '../../../storage/ports/conversation-store.ts';
import type { GatewayClient } from '../../backend/gateway-client.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { askSampling, createTerminalQuestions } from '../../terminal/terminal-questions.ts';
import type { TerminalLock } from './terminal-lock.ts';

export interface RequestPorts {
  readonly gateway: GatewayClient;
  readonly chat: Pick<Chat, 'read' | 'watch'>;
  readonly terminal: Terminal;
  readonly lock: TerminalLock;
  readonly approver: Approver;
}

const retryMs = 1_000;

/**
 * Prompts the person at the terminal for the approvals and questions of a conversation in the gateway, one at a time. A
 * prompt closes if somebody else answers first. Returns the function that stops prompting.
 */
export function promptForRequests(conversation: string, ports: RequestPorts): () => void {
  const { gateway, chat, terminal, lock, approver } = ports;
  const stopped = new AbortController();
  /** Closes the prompt of a request, by its id. */
  const prompts = new Map<string, AbortController>();
  /** The pending approval of each call. */
  const approvals = new Map<string, string>();
  const { elicit } = createTerminalQuestions(terminal);

  /** Prompts once per request and posts the answer, unless the prompt was closed. */
  async function prompt(
    id: string,
    path: string,
    ask: (signal: AbortSignal) => Promise<object | undefined>,
  ): Promise<void> {
    if (prompts.has(id)) return;
    const closed = new AbortController();
    prompts.set(id, closed);
    const signal = AbortSignal.any([closed.signal, stopped.signal]);
    try {
      const answer = await lock.run(async () => (signal.aborted ? undefined : ask(signal)));
      if (!signal.aborted && answer) await gateway.post(`${path}/answer`, answer);
    } catch (cause) {
      if (signal.aborted) return;
      const isAnswered = cause instanceof ToolwharfError && ['CONFLICT', 'GONE', 'NOT_FOUND'].includes(cause.code);
      terminal.note(isAnswered ? cause.message : `Sending the answer failed: ${messageOf(cause)}`);
    }
  }

  function closePrompt(id: string): void {
    prompts.get(id)?.abort();
  }

  async function promptForApproval(id: string): Promise<void> {
    const path = `/api/approvals/${encodeURIComponent(id)}`;
    await prompt(id, path, async (signal) => {
      const approval = await gateway.get<ApprovalView>(path);
      if (approval.status !== 'pending') return undefined;
      const { kind, ...answer } = await approver.ask(approval as ApprovalRequest, signal);
      return { answer: kind, ...answer };
    });
  }

  async function promptForQuestion({ id, kind, server, params }: QuestionView): Promise<void> {
    const content = params as JsonObject;
    await prompt(id, `/api/questions/${encodeURIComponent(id)}`, async (signal) => {
      if (kind === 'elicitation') return elicit(content, { server, signal });
      const isAllowed = await askSampling(terminal, { server, params: content }, signal);
      return { action: isAllowed ? 'accept' : 'decline' };
    });
  }

  function updateApprovals(parts: readonly MessagePart[]): void {
    for (const part of parts) {
      if (part.type !== 'tool-call' || part.callId === undefined) continue;
      const before = approvals.get(part.callId);
      if (before !== undefined && before !== part.approvalId) closePrompt(before);
      if (part.status === 'asked' && part.approvalId !== undefined) {
        approvals.set(part.callId, part.approvalId);
        void promptForApproval(part.approvalId);
      } else approvals.delete(part.callId);
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
    for (const question of questions) if (question.conversation === conversation) void promptForQuestion(question);
  }

  /** Servers ask questions during calls; the conversation's own events do not include them. */
  async function followQuestions(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const events = await gateway.events('/api/events', stopped.signal);
        await promptForPendingQuestions();
        for await (const { event, data } of events) {
          if (event === 'question.asked') await promptForPendingQuestions();
          if (event === 'question.answered') closePrompt((JSON.parse(data) as { readonly id: string }).id);
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
    unwatch();
  };
}
