import { answerSampling } from '../../../chat/answer-sampling.ts';
import type { ChatPorts } from '../../../chat/chat.ts';
import type { OpenedModel } from '../../../chat/models/models.ts';
import type { Environment } from '../../../config/references.ts';
import type { CallHost } from '../../../invocation/call.ts';
import { createStoredApprover } from '../../../invocation/stored-approver.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Approver } from '../../../policy/approval.ts';
import type { ApprovalStore } from '../../../policy/approval-store.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { createTerminalApprover, rulesNote } from '../../terminal/terminal-approver.ts';
import type { TerminalLock } from '../../terminal/terminal-lock.ts';
import { askSampling, createTerminalQuestions } from '../../terminal/terminal-questions.ts';

/** Answers the approvals and questions of conversations that run in this process. */
export interface TerminalPrompter {
  readonly approver: Approver;
  /** Announces to servers that questions can be answered; undefined without a terminal. */
  readonly defaultHost?: CallHost;
  readonly hostFor: ChatPorts['hostFor'];
  /** Denies every pending approval of a conversation. */
  denyAll(conversation: string, reason: string): Promise<void>;
  /** The ids of calls that were denied because there is no terminal. */
  readonly unanswerable: ReadonlySet<string>;
}

export interface PrompterPorts {
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly lock: TerminalLock;
  /** Keeps pending approvals, so that they survive the end of this process. */
  readonly store: ApprovalStore;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** Returns the tools that the configuration always asks about. */
  readonly askPatterns: () => readonly string[];
}

/** Prompts the person at the terminal, one question at a time; denies every call if there is no terminal. */
export function createTerminalPrompter(ports: PrompterPorts): TerminalPrompter {
  const { terminal, lock, store, log, stopping, env } = ports;
  const unanswerable = new Set<string>();
  const person = createTerminalApprover(terminal, () => ({
    rememberedNote: rulesNote,
    askPatterns: ports.askPatterns(),
    extended: { env },
  }));
  const stored = createStoredApprover({ store, log, stopping });
  const nobody: Approver = {
    async ask({ callId, reason }) {
      unanswerable.add(callId);
      return { kind: 'deny', reason: `${reason}, and no approver is available` };
    },
  };
  return {
    approver: terminal.canAsk ? stored : nobody,
    defaultHost: terminal.canAsk ? createHost(ports) : undefined,
    hostFor: (_call, model) => ({
      ...(terminal.canAsk && createHost(ports, model)),
      askUser: (request, signal) =>
        lock.run(async () => {
          signal.throwIfAborted();
          const answer = await person.ask(request, signal);
          // An aborted prompt returns a denial, but no person denied the call: the approval stays pending.
          signal.throwIfAborted();
          return answer;
        }),
    }),
    denyAll: stored.denyAll,
    unanswerable,
  };
}

function createHost({ terminal, lock }: PrompterPorts, model?: OpenedModel): CallHost {
  const { elicit } = createTerminalQuestions(terminal);
  return {
    elicit: (params, context) => lock.run(() => elicit(params, context)),
    async sample(params, { server, signal }) {
      if (!model) throw new Error('No model is available to answer');
      if (!(await lock.run(() => askSampling(terminal, { server, params }, signal)))) throw new SamplingRejected();
      return answerSampling(params, model, signal);
    },
  };
}

/** The error that MCP defines for a sampling request that the user rejects. */
class SamplingRejected extends Error {
  override readonly message = 'The user rejected the sampling request';
  readonly code = -1;
}
