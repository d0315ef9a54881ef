import { toDisplayText } from '../../../policy/display-text.ts';
import type { Message } from '../../../storage/ports/conversation-store.ts';
import { count, oneLine } from '../../terminal/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Session } from './session.ts';
import { createTextSinks } from './text-sinks.ts';
import { beginRow, endRow } from './tool-row.ts';

/** Where a conversation stands that is gone on with: its title, and what was said and answered last. */
export function recap({ view }: Pick<Session, 'view'>, terminal: Terminal): void {
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
    // What is being answered now is written as it comes.
    if (message.status !== 'streaming') show(message, terminal);
  }
}

function show({ role, parts }: Message, terminal: Terminal): void {
  const createText = createTextSinks(terminal);
  for (const part of parts) {
    if (part.type === 'text' && role === 'user') {
      const shown = toDisplayText(part.text, { maxLength: 4_000 }).replaceAll('\n', '\n  ');
      terminal.note(terminal.noteColors.dim(`› ${shown}`));
    } else if (part.type === 'text') {
      const sink = createText();
      sink.add(part.text);
      sink.end();
    } else if (part.type === 'tool-call') {
      terminal.note(`${beginRow(part, terminal)}\n${endRow(part, false, terminal)}`);
    }
  }
}
