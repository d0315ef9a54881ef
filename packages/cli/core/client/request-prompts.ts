import type { QuestionView } from '../../../contract/api/questions.ts';
import type { QuestionAnswer } from '../../../contract/api-types.ts';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { JsonObject } from '../../../contract/json.ts';
import type { ApprovalRequest, Approver } from '../../../toolwharf/policy/approval.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { TerminalLock } from '../terminal/terminal-lock.ts';
import { askReply, askSampling, createTerminalQuestions } from '../terminal/terminal-questions.ts';
import type { GatewayClient } from './gateway-client.ts';

/** Prompts the person at the terminal for approvals and questions of the gateway, one at a time. */
export interface RequestPrompts {
  /** Prompts for a pending approval and sends the answer. */
  promptForApproval(id: string): Promise<void>;
  /** Prompts for the answer to a server's question and sends it. */
  promptForQuestion(question: QuestionView): Promise<void>;
  /** Closes the prompt of a request that was answered elsewhere or withdrawn. */
  close(id: string): void;
  /** Closes all prompts and shows no more. */
  stop(): void;
}

export interface PromptPorts {
  readonly gateway: GatewayClient;
  readonly terminal: Terminal;
  readonly lock: TerminalLock;
  readonly approver: Approver;
}

/** Creates the prompts of one command. */
export function createRequestPrompts({ gateway, terminal, lock, approver }: PromptPorts): RequestPrompts {
  const stopped = new AbortController();
  /** Closes the prompt of a request, by its id. */
  const prompts = new Map<string, AbortController>();
  const { elicit } = createTerminalQuestions(terminal);

  /** Prompts once per request and posts the answer, unless the prompt was closed. */
  async function prompt<Answer extends object>(
    id: string,
    ask: (signal: AbortSignal) => Promise<Answer | undefined>,
    post: (answer: Answer) => Promise<unknown>,
  ): Promise<void> {
    if (prompts.has(id)) return;
    const closed = new AbortController();
    prompts.set(id, closed);
    const signal = AbortSignal.any([closed.signal, stopped.signal]);
    try {
      const answer = await lock.run(async () => (signal.aborted ? undefined : ask(signal)));
      if (!signal.aborted && answer) await post(answer);
    } catch (cause) {
      if (signal.aborted) return;
      terminal.note(isAnswered(cause) ? messageOf(cause) : `Sending the answer failed: ${messageOf(cause)}`);
    }
  }

  return {
    async promptForApproval(id) {
      const path = { approval: id };
      const ask = async (signal: AbortSignal) => {
        const approval = await gateway.getApproval({ path });
        if (approval.status !== 'pending') return undefined;
        const { kind, ...answer } = await approver.ask(approval as ApprovalRequest, signal);
        return { answer: kind, ...answer };
      };
      await prompt(id, ask, (body) => gateway.answerApproval({ path, body }));
    },
    async promptForQuestion({ id, kind, server, params, repliedBy }) {
      const content = params as JsonObject;
      const ask = async (signal: AbortSignal): Promise<QuestionAnswer> => {
        if (kind === 'elicitation') return elicit(content, { server, signal });
        if (repliedBy === 'person') return askReply(terminal, { server, params: content }, signal);
        const isAllowed = await askSampling(terminal, { server, params: content }, signal);
        return { action: isAllowed ? 'accept' : 'decline' };
      };
      await prompt(id, ask, (body) => gateway.answerQuestion({ path: { question: id }, body }));
    },
    close(id) {
      prompts.get(id)?.abort();
      // A call that another process continues may ask the same again.
      prompts.delete(id);
    },
    stop: () => stopped.abort(),
  };
}

/** Whether an answer failed because another answer came first, or the request expired. */
export function isAnswered(cause: unknown): boolean {
  return cause instanceof ToolwharfError && ['CONFLICT', 'GONE', 'NOT_FOUND'].includes(cause.code);
}
