/** A part of a Markdown text that can be rendered on its own. */
export interface MarkdownBlock {
  /** `plain`: too long or too deep to be parsed without blocking the page. */
  readonly kind: 'markdown' | 'code' | 'plain';
  readonly text: string;
  /** The language of code. */
  readonly language?: string;
}

const maxBlockLength = 20_000;
// A list longer than this is split between its entries.
const longList = 4_000;

const fence = /^( {0,3})(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/;
const innerFence = /^\s+(`{3,}|~{3,})[^`]*$/;
const listEntry = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const tooDeep = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){40}/m;
const definition = /^ {0,3}\[[^\]\n]{1,200}\]:/m;

/**
 * Splits Markdown into blocks that render the same one by one, so that only the last block of a growing text is parsed again.
 * Fenced code becomes a separate block.
 */
export function splitMarkdown(text: string): readonly MarkdownBlock[] {
  // A link definition applies to the whole text.
  if (text.length <= maxBlockLength && definition.test(text)) return [toBlock(text)];
  const blocks: MarkdownBlock[] = [];
  let lines: string[] = [];
  let length = 0;
  let isList = false;
  let wasBlank = false;
  let openInside: string | undefined;
  let code: { readonly fence: string; readonly indent: number; readonly language: string } | undefined;

  function finish(): void {
    const block = lines.join('\n');
    if (code !== undefined) {
      blocks.push({ kind: 'code', text: block, language: code.language || undefined });
    } else if (block.trim() !== '') blocks.push(toBlock(block));
    lines = [];
    length = 0;
    isList = false;
    openInside = undefined;
    code = undefined;
  }

  for (const line of text.split('\n')) {
    if (code !== undefined) {
      if (closes(line, code.fence)) finish();
      else lines.push(withoutIndent(line, code.indent));
      continue;
    }
    if (openInside !== undefined) {
      if (closes(line.trimStart(), openInside)) openInside = undefined;
    } else {
      const isBlank = line.trim() === '';
      const isEntry = listEntry.test(line);
      const continues = isBlank || (isList && (isEntry ? length < longList : /^\s/.test(line)));
      if (wasBlank && !continues) finish();
      else if (isList && isEntry && length >= longList) finish();
      wasBlank = isBlank;
      const found = isList && /^ /.test(line) ? undefined : fence.exec(line);
      if (found) {
        finish();
        code = { fence: found[2] ?? '```', indent: found[1]?.length ?? 0, language: found[3] ?? '' };
        continue;
      }
      if (lines.length === 0) isList = isEntry;
      openInside = isList ? innerFence.exec(line)?.[1] : undefined;
    }
    lines.push(line);
    length += line.length + 1;
  }
  finish();
  return blocks;
}

function toBlock(text: string): MarkdownBlock {
  return { kind: text.length > maxBlockLength || tooDeep.test(text) ? 'plain' : 'markdown', text };
}

function closes(line: string, opened: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === opened[0] && found.length >= opened.length;
}

function withoutIndent(line: string, indent: number): string {
  const spaces = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(spaces, indent));
}
