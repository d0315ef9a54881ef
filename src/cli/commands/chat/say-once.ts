import type { Message, ToolCallPart } from '../../../storage/ports/conversation-store.ts';
import type { CommandContext } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { shortId } from '../../terminal/find-by-id.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { logLine } from '../../terminal/terminal-log.ts';
import type { Answered, Session } from './session.ts';
import { problemOf } from './tell-answer.ts';
import { nameOf } from './tool-row.ts';

export interface OnceOptions {
  readonly json?: boolean;
  /** The calls that were denied because nobody could be asked about them. */
  readonly unasked: ReadonlySet<string>;
}

/** One thing said and answered, for scripts. The text is on stdout, everything else on stderr; gives the exit code. */
export async function sayOnce(
  text: string,
  session: Session,
  { json = false, unasked }: OnceOptions,
  { terminal, signal }: CommandContext,
): Promise<number> {
  using _mute = terminal.mute();
  // Ctrl-C is a person's wish to end the answer, wherever it is made.
  const stop = () => void session.stop().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  const answered = await session.answer((chat, id) => {
    signal.throwIfAborted();
    return chat.send(id, text);
  });
  signal.removeEventListener('abort', stop);
  if (json) terminal.print(jsonText(toJson(answered)));
  return report(answered.message, unasked, terminal);
}

function toJson({ message, conversation }: Answered) {
  return { text: textOf(message), message, conversation };
}

/** Everything the assistant said. */
function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function report(message: Message, unasked: ReadonlySet<string>, terminal: CommandContext['terminal']): number {
  const problem = problemOf(message);
  if (problem !== undefined) terminal.note(logLine(terminal, 'error', problem));
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  const denied = calls.filter(({ status }) => status === 'denied');
  const unheard = denied.filter(({ callId = '' }) => unasked.has(callId));
  if (unheard.length > 0) terminal.note(terminal.noteColors.dim(`→ ${howToAllow(unheard)}`));
  if (message.status === 'complete') return denied.length > 0 ? exitCodes.denied : exitCodes.ok;
  return message.status === 'error' || message.status === 'interrupted' ? exitCodes.unavailable : exitCodes.problem;
}

function howToAllow(denied: readonly ToolCallPart[]): string {
  const names = [...new Set(denied.map(nameOf))].join(', ');
  return `Nobody could be asked about ${names}: --auto lets every tool run, --trusted-only those the assistant trusts (\`toolwharf assistants edit NAME --trusted-tool TOOL\`)`;
}

/** Where a call of a gateway waits for an answer, for those who see no question here. */
export function tellWaiting({ approvalId, ...part }: ToolCallPart, { terminal }: CommandContext): void {
  if (approvalId === undefined) return;
  terminal.note(`${nameOf(part)} waits for an answer: \`toolwharf approvals allow ${shortId(approvalId)}\`, or deny`);
}
