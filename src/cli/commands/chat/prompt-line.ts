import type { Terminal } from '../../terminal/terminal.ts';

export interface PromptLine {
  /** What the person says, in several lines where each but the last ends with a backslash; undefined when they end the input. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** Asks what to say next; earlier lines can be gone back to. */
export function createPromptLine(
  terminal: Pick<Terminal, 'ask' | 'noteColors'>,
  earlier: readonly string[],
): PromptLine {
  const { noteColors: colors } = terminal;
  const history = earlier.map(inOneLine).toReversed();
  return {
    async read(signal) {
      const lines: string[] = [];
      for (;;) {
        const mark = lines.length === 0 ? '› ' : '… ';
        const line = await terminal.ask(colors.cyan(mark), signal, { history });
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
