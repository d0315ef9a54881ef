import type { Terminal } from '../../terminal/terminal.ts';

export interface PromptLine {
  /** Reads a message; a line that ends with a backslash continues on the next. Undefined if the input ends. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** Creates the prompt for the next message, with a history of earlier ones. */
export function createPromptLine(
  terminal: Pick<Terminal, 'ask' | 'noteColors'>,
  earlierMessages: readonly string[],
): PromptLine {
  const { noteColors: colors } = terminal;
  const history = earlierMessages.map(inOneLine).toReversed();
  return {
    async read(signal) {
      const lines: string[] = [];
      for (;;) {
        const prompt = lines.length === 0 ? '› ' : '… ';
        const line = await terminal.ask(colors.cyan(prompt), signal, { history });
        if (line === undefined) return undefined;
        const isLast = !line.endsWith('\\');
        lines.push(isLast ? line : line.slice(0, -1));
        if (!isLast) continue;
        const text = lines.join('\n');
        const entry = inOneLine(text);
        if (entry !== '' && entry !== history[0]) history.unshift(entry);
        return text;
      }
    },
  };
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}
