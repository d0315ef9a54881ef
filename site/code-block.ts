import { loadHighlighter } from '../packages/web/src/components/highlight-code.ts';

/** The settings of a code block, from the words after its fence: ```` ```yaml file=toolwharf.yaml ````. */
export interface CodeInfo {
  readonly language: string;
  /** The name after `file=`, or what the block is. */
  readonly caption?: string;
}

type Highlight = (code: string) => string;

export function parseInfo(info: string): CodeInfo {
  const [language = '', ...words] = info.trim().split(/\s+/);
  const file = words.find((word) => word.startsWith('file='))?.slice('file='.length);
  const caption = file ?? (words.includes('output') ? 'Output' : words.includes('error') ? 'Error' : undefined);
  return { language, ...(caption !== undefined && { caption }) };
}

/** Loads the colours of these languages. The result renders a code block as HTML without inline styles. */
export async function loadCodeBlocks(languages: Iterable<string>): Promise<(code: string, info: CodeInfo) => string> {
  const highlights = new Map<string, Highlight>();
  for (const language of new Set(languages)) {
    // Without a limit: the result must not depend on the speed of the machine.
    const tokenize = await loadHighlighter(language, { lineTimeLimitMs: 0 });
    if (tokenize === undefined) continue;
    highlights.set(language, (code) =>
      tokenize(code)
        .map((line) => line.map(({ content, color }) => toSpan(content, color)).join(''))
        .join('\n'),
    );
  }
  return (code, { language, caption }) => {
    const highlight = highlights.get(language);
    const html = language === 'console' ? toConsole(code, highlight) : (highlight?.(code) ?? escapeHtml(code));
    const label = caption === undefined ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`;
    return `<figure class="code" data-language="${escapeHtml(language)}">${label}<pre tabindex="0"><code>${html}</code></pre></figure>\n`;
  };
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Commands after `$ ` have colours, and what they print has none. */
function toConsole(code: string, highlight: Highlight = escapeHtml): string {
  return code
    .split('\n')
    .map((line) =>
      line.startsWith('$ ')
        ? `<span class="prompt">$ </span><span class="command">${highlight(line.slice(2))}</span>`
        : `<span class="printed">${escapeHtml(line)}</span>`,
    )
    .join('\n');
}

function toSpan(content: string, color = ''): string {
  const [, name] = /--code-token-([a-z-]+)/.exec(color) ?? [];
  const text = escapeHtml(content);
  return name === undefined ? text : `<span class="t-${name}">${text}</span>`;
}
