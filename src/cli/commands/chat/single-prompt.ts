import type { NewAttachment } from '../../../chat/attachments.ts';
import type { Message, ToolCallPart } from '../../../storage/ports/conversation-store.ts';
import type { CommandContext, JsonOption } from '../../command-context.ts';
import { exitCodes } from '../../errors.ts';
import { jsonText, shortId } from '../../terminal/format.ts';
import { logLine } from '../../terminal/terminal-log.ts';
import type { Session } from './session.ts';
import { nameOf, problemOf } from './tool-row.ts';

export interface SinglePromptOptions extends JsonOption {
  /** The ids of calls that were denied because there is no terminal. */
  readonly unanswerable: ReadonlySet<string>;
  readonly attachments: readonly NewAttachment[];
}

/** Sends one prompt and prints the answer on stdout, everything else on stderr; returns the exit code. */
export async function runSinglePrompt(
  prompt: string,
  session: Session,
  { json = false, unanswerable, attachments }: SinglePromptOptions,
  { terminal, signal }: CommandContext,
): Promise<number> {
  using _mute = terminal.mute();
  // Ctrl-C stops the answer, also if it runs in the gateway.
  const stop = () => void session.stop().catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  const { message, conversation } = await session.answer((chat, id) => {
    signal.throwIfAborted();
    return chat.send(id, prompt, attachments);
  });
  signal.removeEventListener('abort', stop);
  if (json) terminal.print(jsonText({ text: textOf(message), message, conversation }));
  return report(message, unanswerable, terminal);
}

function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

function report(message: Message, unanswerable: ReadonlySet<string>, terminal: CommandContext['terminal']): number {
  const problem = problemOf(message);
  if (problem !== undefined) terminal.say(logLine(terminal, 'error', problem));
  const calls = message.parts.filter((part) => part.type === 'tool-call');
  const denied = calls.filter(({ status }) => status === 'denied');
  const unanswered = denied.filter(({ callId = '' }) => unanswerable.has(callId));
  if (unanswered.length > 0) terminal.say(terminal.noteColors.dim(`→ ${howToAllow(unanswered)}`));
  if (message.status === 'complete') return denied.length > 0 ? exitCodes.denied : exitCodes.ok;
  return message.status === 'error' || message.status === 'interrupted' ? exitCodes.unavailable : exitCodes.problem;
}

function howToAllow(denied: readonly ToolCallPart[]): string {
  const names = [...new Set(denied.map(nameOf))].join(', ');
  return `No terminal is available to approve ${names}: use --auto to allow every tool, or --trusted-only to allow those that the assistant trusts (\`toolwharf assistants edit NAME --trusted-tool TOOL\`)`;
}

/** Says how to answer a call that awaits approval in the gateway, where no prompt is shown. */
export function reportPendingApproval(part: ToolCallPart, approval: string, { terminal }: CommandContext): void {
  const id = shortId(approval);
  const call = part.approvalId === approval ? nameOf(part) : `A call of ${nameOf(part)}`;
  terminal.say(`${call} awaits approval: run \`toolwharf approvals allow ${id}\` or \`deny ${id}\``);
}
