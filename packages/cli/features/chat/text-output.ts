import type { Message } from '../../../contract/records/conversation.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import { count, oneLine } from '../../core/terminal/format.ts';
import { createMarkdownWriter } from '../../core/terminal/markdown/markdown-writer.ts';
import type { Terminal } from '../../core/terminal/terminal.ts';
import type { TextWriter } from './conversation-view.ts';
import type { Session } from './session.ts';
import { callRow, resultRow } from './tool-row.ts';

/** Creates the writers of answers: rendered Markdown on a terminal, the unchanged text otherwise. */
export function createTextWriters(terminal: Terminal): () => TextWriter {
  let isFirst = true;
  return () => {
    if (terminal.isPerson) {
      terminal.stream('\n');
      return createMarkdownWriter({ write: terminal.stream, width: () => terminal.width, colors: terminal.colors });
    }
    // An empty line separates the texts of an answer.
    if (!isFirst) terminal.stream('\n');
    isFirst = false;
    let last = '';
    return {
      add(text) {
        last = text;
        terminal.stream(text);
      },
      end() {
        if (!last.endsWith('\n')) terminal.stream('\n');
      },
    };
  };
}

/** Prints nothing, for JSON output. */
export const silentWriter: TextWriter = { add: () => {}, end: () => {} };

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
