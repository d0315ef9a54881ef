import type { EventData } from '../../gateway/api/schemas/events.ts';
import type { QuestionView } from '../../gateway/api/schemas/questions.ts';
import type { Progress } from '../../kernel/tool.ts';
import type { Approver } from '../../policy/approval.ts';
import type { CommandContext } from '../command-context.ts';
import { oneLine, shortId } from '../terminal/format.ts';
import { createTerminalApprover, rulesNote } from '../terminal/terminal-approver.ts';
import { createTerminalLock } from '../terminal/terminal-lock.ts';
import { askPatternsOf, type GatewayClient } from './gateway-client.ts';
import { createRequestPrompts } from './request-prompts.ts';

export interface WatchPorts {
  readonly gateway: GatewayClient;
  readonly context: CommandContext;
  readonly onProgress: (progress: Progress) => void;
  /** Stops the time limit; the returned function resumes it. */
  readonly pause: () => () => void;
}

export interface WatchedCall {
  /** Whether the person at the terminal denied the call. */
  isDeniedHere(): boolean;
  stop(): void;
}

/**
 * Follows the events of a call that is about to be sent to the gateway, and of its child calls: shows progress, and prompts for
 * approvals and questions, or says how to answer them if there is no terminal.
 */
export async function watchCall(callId: string, ports: WatchPorts): Promise<WatchedCall> {
  const { gateway, context, onProgress, pause } = ports;
  const { terminal, env } = context;
  const stopped = new AbortController();
  const callIds = new Set([callId]);
  /** Resumes the time limit, by the id of the request that the call waits for. */
  const waiting = new Map<string, () => void>();
  let isDenied = false;
  const askPatterns = terminal.canAsk ? await askPatternsOf(gateway).catch(() => []) : [];
  const person = createTerminalApprover(terminal, () => ({
    rememberedNote: rulesNote,
    askPatterns,
    extended: { env },
  }));
  const approver: Approver = {
    async ask(request, signal) {
      const answer = await person.ask(request, signal);
      isDenied = !signal.aborted && answer.kind === 'deny';
      return answer;
    },
  };
  const prompts = createRequestPrompts({ gateway, terminal, lock: createTerminalLock(), approver });

  function askApproval({ id, tool }: EventData<'approval.asked'>): void {
    if (terminal.canAsk) void prompts.promptForApproval(id);
    else {
      const short = shortId(id);
      terminal.say(`${oneLine(tool)} awaits approval: run \`toolwharf approvals allow ${short}\` or \`deny ${short}\``);
    }
  }

  async function askQuestion({ id, server }: EventData<'question.asked'>): Promise<void> {
    if (!terminal.canAsk) return terminal.say(`Server '${oneLine(server)}' asks a question: answer it in the app`);
    const { questions } = await gateway.get<{ readonly questions: readonly QuestionView[] }>('/api/questions');
    const question = questions.find((candidate) => candidate.id === id);
    if (question) await prompts.promptForQuestion(question);
  }

  function receive(event: string | undefined, data: string): void {
    const value = JSON.parse(data) as { readonly id: string; readonly callId?: string };
    const isOurs = value.callId !== undefined && callIds.has(value.callId);
    switch (event) {
      case 'call.changed': {
        const { id, parent } = value as EventData<'call.changed'>;
        if (parent && callIds.has(parent.id)) callIds.add(id);
        break;
      }
      case 'call.progressed':
        if (value.id === callId) onProgress(value as EventData<'call.progressed'>);
        break;
      case 'approval.asked':
      case 'question.asked':
        if (!isOurs) break;
        waiting.set(value.id, pause());
        if (event === 'approval.asked') askApproval(value as EventData<'approval.asked'>);
        else askQuestion(value as EventData<'question.asked'>).catch(() => {});
        break;
      case 'approval.answered':
      case 'approval.withdrawn':
      case 'question.answered':
        waiting.get(value.id)?.();
        waiting.delete(value.id);
        prompts.close(value.id);
    }
  }

  const events = await gateway.events('/api/events', stopped.signal);
  async function follow(): Promise<void> {
    for await (const { event, data } of events) receive(event, data);
  }
  // Without events, the call goes on; its approvals can be answered elsewhere.
  follow().catch(() => {});

  return {
    isDeniedHere: () => isDenied,
    stop() {
      stopped.abort();
      prompts.stop();
    },
  };
}
