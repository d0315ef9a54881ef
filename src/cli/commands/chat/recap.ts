import { toDisplayText } from '../../../policy/display-text.ts';
import type { Message } from '../../../storage/ports/conversation-store.ts';
import { count, oneLine } from '../../terminal/format.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Session } from './session.ts';
import { createTextWriters } from './text-output.ts';
import { callRow, resultRow } from './tool-row.ts';

/** Prints the title of a conversation and its last exchange, before it is continued. */
export function printRecap({ view }: Pick<Session, 'view'>, terminal: Terminal): void {
  if (!view) return;
  const { conversation, messages } = view.content;
  const { noteColors: colors } = terminal;
  const from = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'user'),
  );
  const earlier = from > 0 ? `, after ${count(from, 'message')}` : '';
  terminal.note(`${colors.bold(oneLine(conversation.title))}${colors.dim(earlier)}`);
  for (const message of messages.slice(from)) {
    // The view prints an answer in progress.
    if (message.status !== 'streaming') printMessage(message, terminal);
  }
}

function printMessage({ role, parts }: Message, terminal: Terminal): void {
  const createWriter = createTextWriters(terminal);
  for (const part of parts) {
    if (part.type === 'text' && role === 'user') {
      const shown = toDisplayText(part.text, { maxLength: 4_000 }).replaceAll('\n', '\n  ');
      terminal.note(terminal.noteColors.dim(`› ${shown}`));
    } else if (part.type === 'text') {
      const writer = createWriter();
      writer.add(part.text);
      writer.end();
    } else if (part.type === 'tool-call') {
      terminal.note(`${callRow(part, terminal)}\n${resultRow(part, false, terminal)}`);
    }
  }
}
