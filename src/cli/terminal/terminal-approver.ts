import type { Environment } from '../../config/references.ts';
import type { ApprovalAnswer, ApprovalRequest, ApprovalScope, Approver } from '../../policy/approval.ts';
import { restricts } from '../../policy/tool-patterns.ts';
import { describeApproval } from './describe-approval.ts';
import { editArguments } from './edit-arguments.ts';
import type { Terminal } from './terminal.ts';

export interface ApprovalPromptOptions {
  /** Printed after an answer that is remembered for further calls. */
  readonly rememberedNote: string;
  /** Tools that the configuration always asks about (`toolbox.approval.ask`): an answer for more than one call is not offered. */
  readonly askPatterns: readonly string[];
  /** Offers all scopes, editing the arguments and a reason for a denial; the environment names the editor. */
  readonly extended?: { readonly env: Environment };
  /** An empty line postpones the answer instead of denying the call. */
  readonly canPostpone?: boolean;
}

/** Asks the person at the terminal about each call. Anything but a clear yes is a denial. */
export function createTerminalApprover(terminal: Terminal, options: () => ApprovalPromptOptions): Approver {
  return {
    ask: async (request, signal) => (await promptForApproval(terminal, request, options(), signal)) ?? { kind: 'deny' },
  };
}

/** Shows a call and prompts for an answer; undefined if the person gives none or the signal aborts. */
export async function promptForApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  options: ApprovalPromptOptions,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const { noteColors: colors } = terminal;
  const { extended, canPostpone, rememberedNote } = options;
  const choices = choicesFor(request, options);
  const legend = choices.map(({ key, label }) => `${key} = ${label}`);
  if (canPostpone) legend.push('Enter = later');
  const keys = choices.map(({ key }) => (key === 'n' && !canPostpone ? 'N' : key)).join('/');
  terminal.note(describeApproval(request, colors));
  terminal.note(colors.dim(`  ${legend.join(', ')}`));
  for (;;) {
    const line = (await terminal.ask(`Run it? [${keys}] `, signal))?.trim().toLowerCase();
    if (!line || signal.aborted) return undefined;
    const choice = choices.find(({ key, word }) => line === key || line === word)?.means;
    if (choice === 'deny') {
      const reason = extended && (await terminal.ask('Reason (optional, sent to the caller): ', signal))?.trim();
      return { kind: 'deny', ...(reason && { reason }) };
    }
    if (choice === 'edit') {
      const edited = await editArguments(request.arguments, { terminal, env: extended?.env ?? {}, signal });
      if (edited) return { kind: 'allow', scope: 'once', arguments: edited };
    } else if (choice) {
      if (choice === 'tool' || choice === 'server') terminal.note(colors.dim(rememberedNote));
      return { kind: 'allow', scope: choice };
    }
  }
}

interface Choice {
  readonly key: string;
  readonly word: string;
  readonly label: string;
  readonly means: ApprovalScope | 'edit' | 'deny';
}

const once: Choice = { key: 'y', word: 'yes', label: 'once', means: 'once' };
const conversation: Choice = { key: 'c', word: 'conversation', label: 'this conversation', means: 'conversation' };
const tool: Choice = { key: 't', word: 'tool', label: 'always this tool', means: 'tool' };
const server: Choice = { key: 's', word: 'server', label: 'always this server', means: 'server' };
const edit: Choice = { key: 'e', word: 'edit', label: 'edit the arguments', means: 'edit' };
const deny: Choice = { key: 'n', word: 'no', label: 'deny', means: 'deny' };

function choicesFor(request: ApprovalRequest, { askPatterns, extended }: ApprovalPromptOptions): Choice[] {
  const isAlwaysAsked = restricts(askPatterns, { ...request, name: request.tool });
  const lasting = extended ? [conversation, tool, ...(request.server === undefined ? [] : [server])] : [tool];
  return [once, ...(isAlwaysAsked ? [] : lasting), ...(extended ? [edit] : []), deny];
}

/** Says how to undo an answer that the store remembers. */
export const rulesNote = 'Remembered. `toolwharf rules` lists and revokes remembered approvals.';
