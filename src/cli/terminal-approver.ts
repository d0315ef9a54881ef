import type { ApprovalAnswer, ApprovalRequest, Approver } from '../policy/approval.ts';
import { describeApproval } from './describe-approval.ts';
import type { Terminal } from './terminal.ts';

export interface TerminalApproverOptions {
  /** Where "always" is kept, for the person to know. */
  readonly rulesFile: string;
  /** Whether the configuration asks about the tool each time: then "always" would be no true answer. */
  readonly isAskedAlways: (request: ApprovalRequest) => boolean;
}

/** Asks the person at the terminal about each call. Only a clear yes is a yes. */
export function createTerminalApprover(terminal: Terminal, options: TerminalApproverOptions): Approver {
  const { noteColors: colors } = terminal;
  return {
    async ask(request, signal): Promise<ApprovalAnswer> {
      terminal.note(describeApproval(request, colors));
      const isOffered = !options.isAskedAlways(request);
      const choice = isOffered ? ['y = once, a = always this tool, n = no', '[y/a/N]'] : ['y = yes, n = no', '[y/N]'];
      for (;;) {
        const line = await terminal.ask(`Run it? ${colors.dim(choice[0] ?? '')} ${choice[1]} `, signal);
        const answer = line?.trim().toLowerCase();
        if (answer === 'y' || answer === 'yes') return { kind: 'allow', scope: 'once' };
        if (isOffered && (answer === 'a' || answer === 'always')) {
          terminal.note(colors.dim(`Remembered in ${options.rulesFile}; remove it there to be asked again.`));
          return { kind: 'allow', scope: 'tool' };
        }
        if (answer === undefined || answer === '' || answer === 'n' || answer === 'no') return { kind: 'deny' };
      }
    },
  };
}
