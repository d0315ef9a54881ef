import type { ToolCallPart } from '../../../storage/ports/conversation-store.ts';
import { duration, oneLine, shorten } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';

type Paper = Pick<Terminal, 'noteColors' | 'width'>;

/** `● files read_text_file  {"path":"a.txt"}`: a call begins. */
export function beginRow(part: ToolCallPart, { noteColors: colors, width }: Paper): string {
  const name = nameOf(part);
  const row = `${colors.cyan('●')} ${colors.bold(name)}`;
  if (Object.keys(part.arguments).length === 0) return row;
  const room = Math.max(10, width - name.length - 4);
  return `${row}  ${colors.dim(shorten(oneLine(JSON.stringify(part.arguments)), room))}`;
}

/** `  ✓ 0.4 s buy apples`: it has ended. Named where others run beside it. */
export function endRow(part: ToolCallPart, isNamed: boolean, { noteColors: colors, width }: Paper): string {
  const [sign, paint] = part.status === 'success' ? (['✓', colors.green] as const) : (['✗', colors.red] as const);
  const time = part.startedAt && part.completedAt && Date.parse(part.completedAt) - Date.parse(part.startedAt);
  const words = [...(isNamed ? [nameOf(part)] : []), ...(typeof time === 'number' ? [duration(time)] : [])];
  const outcome = shorten(outcomeOf(part), Math.max(10, width - 4 - words.join(' ').length - 1));
  const about = part.status === 'success' ? colors.dim(outcome) : outcome;
  return `  ${paint(sign)} ${[...words, about].join(' ')}`.trimEnd();
}

/** `files sync 40 % copying`: how far a running call is. */
export function progressText(part: ToolCallPart): string {
  const { progress, total, message } = part.progress ?? {};
  const share = progress === undefined ? [] : [total ? `${Math.floor((100 * progress) / total)} %` : String(progress)];
  return [nameOf(part), ...share, ...(message ? [oneLine(message)] : [])].join(' ');
}

/** The name a person knows it by. */
export function nameOf({ server, originalName, name }: ToolCallPart): string {
  return [...(server === undefined ? [] : [server]), originalName ?? name].map(oneLine).join(' ');
}

function outcomeOf({ status, result }: ToolCallPart): string {
  const text = firstLine(result?.content ?? []).replace(/^MCP error: /, '');
  if (status === 'unknown') return `outcome unknown: ${text}`;
  return status === 'cancelled' ? 'cancelled' : text;
}

/** The first line of a result that says something; what is no text is named. */
function firstLine(content: readonly Readonly<Record<string, unknown>>[]): string {
  const texts = content.map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`));
  const line = texts.flatMap((text) => text.split('\n')).find((candidate) => candidate.trim() !== '');
  return oneLine(line ?? '');
}
