import type { DataSource } from '../../../contract/api/data-flows.ts';
import { type ApprovalScope, answerKeys, type RuleAudience } from '../../../contract/approvals.ts';
import type { DefinitionChange } from '../../../toolwharf/catalog/definition-diff.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import type { ToolAnnotations } from '../../../toolwharf/kernel/tool.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../../toolwharf/policy/approval.ts';
import { describeArguments } from '../../../toolwharf/policy/describe-arguments.ts';
import { restricts } from '../../../toolwharf/policy/tool-patterns.ts';
import { confirm } from './confirm.ts';
import { editArguments } from './edit-text.ts';
import { oneLine, wrapParts } from './format.ts';
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

/** An approval, with the audiences that the person may choose for a remembered answer; all of them if undefined. */
export interface PendingApproval extends ApprovalRequest {
  readonly audiences?: readonly RuleAudience[];
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
  request: PendingApproval,
  options: ApprovalPromptOptions,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  const { noteColors: colors } = terminal;
  const { extended, canPostpone, rememberedNote } = options;
  const choices = choicesFor(request, options);
  const legend = choices.map(({ key, label }) => `${key} = ${label}`);
  if (canPostpone) legend.push('Enter = later');
  const keys = choices.map(({ key }) => (key === answerKeys.deny && !canPostpone ? 'D' : key)).join('/');
  terminal.note(describeApproval(request, colors));
  for (const line of wrapParts(legend, terminal.width - 2)) terminal.note(colors.dim(`  ${line}`));
  for (;;) {
    const line = (await terminal.ask(`Run it? [${keys}] `, signal))?.trim().toLowerCase();
    if (!line || signal.aborted) return undefined;
    const choice = choices.find(({ key, words }) => line === key || words.includes(line))?.means;
    if (choice === 'deny') {
      const reason = extended && (await terminal.ask('Reason (optional, sent to the caller): ', signal))?.trim();
      return { kind: 'deny', reason: reason || undefined };
    }
    if (choice === 'edit') {
      const edited = await editArguments(request.arguments, { terminal, env: extended?.env ?? {}, signal });
      if (edited) return { kind: 'allow', scope: 'once', arguments: edited };
    } else if (choice) {
      if (choice !== 'tool' && choice !== 'server') return { kind: 'allow', scope: choice };
      const mayAnswerForAll = extended && (request.audiences?.includes('everyone') ?? true);
      const isForAll =
        mayAnswerForAll && (await confirm(terminal, 'Remember it for everyone?', { signal, fallback: false }));
      if (signal.aborted) return undefined;
      terminal.note(colors.dim(rememberedNote));
      return { kind: 'allow', scope: choice, audience: isForAll ? 'everyone' : 'caller' };
    }
  }
}

interface Choice {
  readonly key: string;
  /** Other answers that mean the same. */
  readonly words: readonly string[];
  readonly label: string;
  readonly means: ApprovalScope | 'edit' | 'deny';
}

const once: Choice = { key: answerKeys.once, words: ['allow', 'y', 'yes'], label: 'allow once', means: 'once' };
const conversation: Choice = {
  key: answerKeys.conversation,
  words: ['conversation'],
  label: 'this conversation',
  means: 'conversation',
};
const flow: Choice = {
  key: answerKeys.flow,
  words: ['flow'],
  label: 'allow this data flow in this conversation',
  means: 'flow',
};
const edit: Choice = { key: answerKeys.edit, words: ['edit'], label: 'edit the arguments', means: 'edit' };
const deny: Choice = { key: answerKeys.deny, words: ['deny', 'n', 'no'], label: 'deny', means: 'deny' };

function choicesFor(request: PendingApproval, { askPatterns, extended }: ApprovalPromptOptions): Choice[] {
  const { caller, server: serverName, audiences = ['conversation', 'caller'] } = request;
  const isAlwaysAsked = restricts(askPatterns, { ...request, name: request.tool });
  const who = caller.kind === 'person' ? 'you' : caller.kind === 'assistant' ? 'this assistant' : 'this caller';
  const tool: Choice = { key: answerKeys.tool, words: ['tool'], label: `always this tool, for ${who}`, means: 'tool' };
  const server: Choice = {
    key: answerKeys.server,
    words: ['server'],
    label: `always this server, for ${who}`,
    means: 'server',
  };
  const lasting = [
    ...(request.flows && audiences.length > 0 ? [flow] : []),
    ...(extended && audiences.includes('conversation') ? [conversation] : []),
    ...(audiences.includes('caller') ? [tool] : []),
    ...(extended && serverName !== undefined && audiences.includes('caller') ? [server] : []),
  ];
  const allow = argumentsText(request) === undefined ? [] : [once, ...(isAlwaysAsked ? [] : lasting)];
  return [...allow, ...(extended ? [edit] : []), deny];
}

/** Says how to undo an answer that the store remembers. */
export const rulesNote = 'Remembered. `toolwharf rules` lists and revokes remembered approvals.';

/** Describes a call that needs approval. Control and invisible characters are shown as text. */
export function describeApproval(request: ApprovalRequest, colors: Terminal['noteColors']): string {
  const { tool, server, originalName, caller, reason, annotations, flows = [], change = [] } = request;
  const field = (name: string, text: string) => `  ${colors.dim(name.padEnd(10))}${text}`;
  const lines = [
    '',
    colors.bold('Approval required'),
    field('tool', `${colors.cyan(oneLine(tool))}${originalName === tool ? '' : `  (${oneLine(originalName)})`}`),
  ];
  if (server !== undefined) lines.push(field('server', oneLine(server)));
  // A person who calls the tool from this terminal knows who the caller is.
  if (caller.kind !== 'person') lines.push(field('caller', oneLine(caller.name ?? caller.id)));
  lines.push(field('reason', oneLine(reason)));
  for (const { labels, sources } of flows)
    for (const source of sources) lines.push(field('data', `${oneLine(labels.join(', '))}: ${describeSource(source)}`));
  const claims = claimsOf(annotations);
  if (claims) lines.push(field('claims', `${claims}  ${colors.dim('(according to the server)')}`));
  lines.push(field('arguments', (argumentsText(request) ?? tooManyArguments).replaceAll('\n', `\n${' '.repeat(12)}`)));
  if (change.length > 0) {
    lines.push(`  ${colors.yellow('The definition changed since it was accepted:')}`);
    lines.push(...change.flatMap((one) => changeLines(one, colors)));
  }
  return lines.join('\n');
}

/** An earlier call that brought data, and where in the arguments the data is. */
export function describeSource({ call, server, tool, kind, argument }: DataSource): string {
  if (call === undefined) return 'earlier calls that are not listed any more';
  const of = server === undefined ? (tool ?? '') : `${server}/${tool}`;
  const place = argument === undefined ? sourceTexts[kind] : `in ${argument}${kind === 'encoded' ? ', encoded' : ''}`;
  return oneLine(`${of}, call ${call}${place === '' ? '' : `, ${place}`}`);
}

const sourceTexts = { text: '', encoded: '', number: '', reference: 'by reference', unknown: 'in unknown places' };

/** One change of a tool definition, the old value above the new one. */
export function changeLines({ path, kind, before, after }: DefinitionChange, colors: Terminal['noteColors']): string[] {
  const show = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value));
  const lines = [`    ${oneLine(path)}  ${colors.dim(kind)}`];
  if (before !== undefined) lines.push(`      ${colors.red(`- ${show(before)}`)}`);
  if (after !== undefined) lines.push(`      ${colors.green(`+ ${show(after)}`)}`);
  return lines;
}

/** Undefined if the arguments have too many parts to be shown. */
function argumentsText({ arguments: args }: ApprovalRequest): string | undefined {
  return Object.keys(args).length === 0 ? 'none' : describeArguments(args, { maxLength: 10_000, indent: 2 });
}

const tooManyArguments = 'too many to be shown here: edit them to see all, or answer in the app';

function claimsOf({ readOnlyHint, destructiveHint, idempotentHint }: ToolAnnotations = {}): string {
  const claims = [readOnlyHint && 'read-only', destructiveHint && 'may be destructive', idempotentHint && 'idempotent'];
  return claims.filter(Boolean).join(', ');
}
