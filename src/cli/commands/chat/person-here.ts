import { answerSampling } from '../../../chat/answer-sampling.ts';
import type { ChatPorts } from '../../../chat/chat.ts';
import type { OpenedModel } from '../../../chat/models/models.ts';
import { createStoredApprover } from '../../../gateway/approvals/stored-approver.ts';
import type { CallHost } from '../../../invocation/call.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Approver } from '../../../policy/approval.ts';
import type { ApprovalStore } from '../../../policy/approval-store.ts';
import { isAskedAlways } from '../../backend/is-asked-always.ts';
import { askSampling } from '../../terminal/ask-sampling.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { createTerminalApprover } from '../../terminal/terminal-approver.ts';
import { createTerminalQuestions } from '../../terminal/terminal-questions.ts';
import type { Floor } from './floor.ts';
import { rememberedNote } from './remembered-note.ts';

/** Who is asked in conversations of this process. */
export interface PersonHere {
  readonly approver: Approver;
  /** Announces to servers that questions can be answered; undefined without a terminal. */
  readonly defaultHost?: CallHost;
  readonly hostFor: ChatPorts['hostFor'];
  /** Answers no to all that waits in a conversation. */
  denyAll(conversation: string, reason: string): Promise<void>;
  /** The calls that were denied because nobody could be asked about them. */
  readonly unasked: ReadonlySet<string>;
}

export interface PersonPorts {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly floor: Floor;
  /** Where questions wait, so that one that nobody answered is still there after the end of this process. */
  readonly store: ApprovalStore;
  readonly log: Log;
  readonly stopping: AbortSignal;
  /** The tools that the configuration asks about each time. */
  readonly askList: () => readonly string[];
}

/** The person at the terminal, one question at a time; where there is none, every answer is no. */
export function createPersonHere(ports: PersonPorts): PersonHere {
  const { terminal, floor, store, log, stopping } = ports;
  const unasked = new Set<string>();
  const person = createTerminalApprover(terminal, {
    rememberedNote,
    isAskedAlways: (request) => isAskedAlways(request, ports.askList()),
    conversation: { env: ports.env },
  });
  const stored = createStoredApprover({
    store,
    log,
    stopping,
  });
  const nobody: Approver = {
    async ask({ callId, reason }) {
      unasked.add(callId);
      return { kind: 'deny', reason: `${reason}, and nobody is there to ask` };
    },
  };
  return {
    approver: terminal.canAsk ? stored : nobody,
    defaultHost: terminal.canAsk ? createHost(ports) : undefined,
    hostFor: (_call, model) => ({
      ...(terminal.canAsk && createHost(ports, model)),
      askUser: (request, signal) =>
        floor.take(async () => {
          signal.throwIfAborted();
          const answer = await person.ask(request, signal);
          // An aborted prompt is no answer: the approval stays pending.
          signal.throwIfAborted();
          return answer;
        }),
    }),
    denyAll: stored.denyAll,
    unasked,
  };
}

function createHost({ terminal, floor }: PersonPorts, model?: OpenedModel): CallHost {
  const questions = createTerminalQuestions(terminal);
  return {
    elicit: (params, context) =>
      floor.take(async () => (await questions.elicit?.(params, context)) ?? { action: 'cancel' }),
    async sample(params, { server, signal }) {
      if (!model) throw new Error('There is no model that could answer');
      if (!(await floor.take(() => askSampling(terminal, { server, params }, signal)))) throw new SamplingRefused();
      return answerSampling(params, model, signal);
    },
  };
}

/** What the protocol has for a person who said no. */
class SamplingRefused extends Error {
  override readonly message = 'The person did not allow the model to be asked';
  readonly code = -1;
}
