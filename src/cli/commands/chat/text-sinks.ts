import { createMarkdownWriter } from '../../terminal/markdown/markdown-writer.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { TextSink } from './conversation-view.ts';

/** Where the texts of answers go: rendered for a person, as they are for a program. */
export function createTextSinks(terminal: Terminal): () => TextSink {
  let isFirst = true;
  return () => {
    if (terminal.isPerson) {
      terminal.stream('\n');
      return createMarkdownWriter({ write: terminal.stream, width: () => terminal.width, colors: terminal.colors });
    }
    // Two texts of an answer are two paragraphs.
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

/** For those who print the whole answer themselves. */
export const noText: TextSink = { add: () => {}, end: () => {} };
