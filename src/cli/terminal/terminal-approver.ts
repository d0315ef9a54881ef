import type { ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver } from '../../policy/approval.ts';
import { describeApproval } from './describe-approval.ts';
import { editArguments } from './edit-arguments.ts';
import type { Terminal } from './terminal.ts';

export interface TerminalApproverOptions {
  /** Where an answer is kept that holds for longer, for the person to know. */
  readonly rememberedNote: string;
  /** Whether the configuration asks about the tool each time: then "always" would be no true answer. */
  readonly isAskedAlways: (request: ApprovalRequest) => boolean;
  /**
   * For calls of a conversation: answers may hold for it or for the whole server, the arguments can be changed, and a no may
   * have a reason, which the model is told. The environment names the person's editor.
   */
  readonly conversation?: { readonly env: Readonly<Record<string, string | undefined>> };
}

/** Asks the person at the terminal about each call. Only a clear yes is a yes. */
export function createTerminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  const { noteColors: colors } = terminal;

  async function answerTo(
    choice: Choice,
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<ApprovalAnswer | undefined> {
    if (choice.means === 'no') return { kind: 'deny', ...(await reasonFor(choice, signal)) };
    if (choice.means === 'edit') {
      const env = options.conversation?.env ?? {};
      const edited = await editArguments(request.arguments, { terminal, env, signal });
      return edited && { kind: 'allow', scope: 'once', arguments: edited };
    }
    const isKept = choice.means === 'tool' || choice.means === 'server';
    if (isKept) terminal.note(colors.dim(options.rememberedNote));
    return { kind: 'allow', scope: choice.means };
  }

  async function reasonFor({ asksReason }: Choice, signal: AbortSignal): Promise<{ reason?: string }> {
    if (!asksReason) return {};
    const reason = (await terminal.ask('Why? (the model is told; Enter for no reason) ', signal))?.trim();
    return reason ? { reason } : {};
  }

  return {
    async ask(request, signal) {
      terminal.note(describeApproval(request, colors));
      const choices = choicesFor(request, options);
      const about = colors.dim(choices.map(({ keys, about }) => `${keys[0]} = ${about}`).join(', '));
      const letters = choices.map(({ keys, means }) => (means === 'no' ? 'N' : keys[0])).join('/');
      // Many choices have a line of their own.
      if (options.conversation) terminal.note(`  ${about}`);
      const question = options.conversation ? `Run it? [${letters}] ` : `Run it? ${about} [${letters}] `;
      for (;;) {
        const line = (await terminal.ask(question, signal))?.trim().toLowerCase();
        if (line === undefined || line === '') return { kind: 'deny' };
        const choice = choices.find(({ keys }) => keys.includes(line));
        const answer = choice && (await answerTo(choice, request, signal));
        if (answer) return answer;
        if (signal.aborted) return { kind: 'deny' };
      }
    },
  };
}

interface Choice {
  readonly keys: readonly string[];
  readonly about: string;
  readonly means: ApprovalScope | 'edit' | 'no';
  readonly asksReason?: boolean;
}

function choicesFor(request: ApprovalRequest, { isAskedAlways, conversation }: TerminalApproverOptions): Choice[] {
  const isKept = !isAskedAlways(request);
  const always: Choice = { keys: ['a', 'always'], about: 'always this tool', means: 'tool' };
  const no: Choice = { keys: ['n', 'no'], about: 'no', means: 'no' };
  const yes: Choice = { keys: ['y', 'yes'], about: isKept ? 'once' : 'yes', means: 'once' };
  if (!conversation) return [yes, ...(isKept ? [always] : []), no];
  const further: Choice[] = [
    { keys: ['c', 'conversation'], about: 'this conversation', means: 'conversation' },
    always,
    ...(request.server === undefined
      ? []
      : [{ keys: ['s', 'server'], about: 'always this server', means: 'server' } as const]),
  ];
  const edit: Choice = { keys: ['e', 'edit'], about: 'change the arguments', means: 'edit' };
  return [yes, ...(isKept ? further : []), edit, { ...no, asksReason: true }];
}
