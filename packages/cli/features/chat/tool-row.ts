import type { Message, ToolCallPart } from '../../../contract/records/conversation.ts';
import { formatUsd } from '../../../gateway/features/chat/export-conversation.ts';
import { duration, oneLine, shorten } from '../../core/terminal/format.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';

type RowStyle = Pick<Terminal, 'noteColors' | 'width'>;

/** The row of a call that starts: `● files read_text_file  {"path":"a.txt"}`. */
export function callRow(part: ToolCallPart, { noteColors: colors, width }: RowStyle): string {
  const name = nameOf(part);
  const row = `${colors.cyan('●')} ${colors.bold(name)}`;
  if (Object.keys(part.arguments).length === 0) return row;
  const room = Math.max(10, width - name.length - 4);
  return `${row}  ${colors.dim(shorten(oneLine(JSON.stringify(part.arguments)), room))}`;
}

/** The row of a call that has ended: `  ✓ 0.4 s buy apples`, with its name if other calls run in parallel. */
export function resultRow(part: ToolCallPart, isNamed: boolean, { noteColors: colors, width }: RowStyle): string {
  const [sign, paint] = part.status === 'success' ? (['✓', colors.green] as const) : (['✗', colors.red] as const);
  const time = part.startedAt && part.completedAt && Date.parse(part.completedAt) - Date.parse(part.startedAt);
  const facts = [isNamed && nameOf(part), typeof time === 'number' && duration(time)].filter(Boolean);
  const outcome = shorten(outcomeOf(part), Math.max(10, width - 4 - facts.join(' ').length - 1));
  const about = part.status === 'success' ? colors.dim(outcome) : outcome;
  return `  ${paint(sign)} ${[...facts, about].join(' ')}`.trimEnd();
}

/** The progress of a running call: `files sync 40 % copying`. */
export function progressText(part: ToolCallPart): string {
  const { progress, total, message } = part.progress ?? {};
  const share = progress !== undefined && (total ? `${Math.floor((100 * progress) / total)} %` : String(progress));
  return [nameOf(part), share, message && oneLine(message)].filter(Boolean).join(' ');
}

/** The approvals that the call, or calls of a chain or script, wait for. */
export function approvalsOf({ status, approvalId, stepApprovalIds = [] }: ToolCallPart): readonly string[] {
  if (status !== 'asked') return [];
  return approvalId === undefined ? stepApprovalIds : [approvalId, ...stepApprovalIds];
}

/** The server and the tool's own name. */
export function nameOf({ server, originalName, name }: ToolCallPart): string {
  const tool = oneLine(originalName ?? name);
  return server === undefined ? tool : `${oneLine(server)} ${tool}`;
}

function outcomeOf({ status, result }: ToolCallPart): string {
  const text = firstLine(result?.content ?? []).replace(/^MCP error: /, '');
  if (status === 'unknown') return `outcome unknown: ${text}`;
  return status === 'cancelled' ? 'cancelled' : text;
}

/** The first line of a result that is not blank; other content is named by its type. */
function firstLine(content: readonly Readonly<Record<string, unknown>>[]): string {
  const texts = content.map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`));
  const line = texts.flatMap((text) => text.split('\n')).find((candidate) => candidate.trim() !== '');
  return oneLine(line ?? '');
}

/** Prints why an answer is incomplete, then its model, tokens and duration. */
export function reportAnswer(message: Message, terminal: Pick<Terminal, 'note' | 'noteColors'>): void {
  const { noteColors: colors } = terminal;
  const { model, durationMs } = message;
  const problem = problemOf(message);
  if (problem !== undefined) terminal.note(colors.yellow(problem));
  const facts = [
    model && oneLine(model),
    describeTokens(message),
    describeCost(message),
    durationMs !== undefined && duration(durationMs),
  ];
  terminal.note(`${colors.dim(facts.filter(Boolean).join(' · '))}\n`);
}

/** Why an answer is incomplete; undefined if it is complete. */
export function problemOf({ status, problem }: Message): string | undefined {
  if (status === 'complete' || status === 'streaming') return undefined;
  return problem === undefined ? `The answer was ${status}.` : oneLine(problem);
}

/** `1 204 tokens in, 56 out`; undefined if the provider reports no usage. */
export function describeTokens({ usage }: Pick<Message, 'usage'>): string | undefined {
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return undefined;
  const { inputTokens, outputTokens, estimated } = usage;
  return `${estimated ? 'about ' : ''}${groupDigits(inputTokens)} tokens in, ${groupDigits(outputTokens)} out`;
}

/** `$0.0042`; undefined without prices. */
export function describeCost({ costUsd, usage }: Pick<Message, 'costUsd' | 'usage'>): string | undefined {
  return costUsd === undefined ? undefined : `${usage?.estimated ? 'about ' : ''}${formatUsd(costUsd)}`;
}

function groupDigits(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
