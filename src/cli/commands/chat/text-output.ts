import { createMarkdownWriter } from '../../terminal/markdown/markdown-writer.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { TextWriter } from './conversation-view.ts';

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
