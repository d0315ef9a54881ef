import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './imports.ts';

/** A fenced block. The words after its language are attributes: ```` ```ts run ````, ```` ```yaml file=toolwharf.yaml ````. */
export interface Block {
  /** File and line, such as `docs/guide/approval.md:12`. */
  readonly place: string;
  readonly language: string;
  readonly words: readonly string[];
  /** The name after `file=`. */
  readonly file?: string;
  readonly text: string;
}

export interface Page {
  /** The path from the repository root. */
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The page without its code blocks. */
  readonly prose: string;
  /** The anchors of its headings on GitHub. */
  readonly anchors: ReadonlySet<string>;
}

/** The Markdown pages in the repository root and in `docs`. */
export function readPages(): Page[] {
  const names = readdirSync(root).filter((name) => name.endsWith('.md'));
  return [...names.map(readPage), ...readPagesBelow('docs')].sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** The Markdown pages below a directory of the repository; none if it does not exist. */
export function readPagesBelow(directory: string): Page[] {
  if (!existsSync(join(root, directory))) return [];
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => readPage(join(directory, name)));
}

function readPage(file: string): Page {
  return toPage(file, readFileSync(join(root, file), 'utf8'));
}

export function toPage(file: string, text: string): Page {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { fence: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', info = ''] = /^(`{3,})([^`]*)$/.exec(line) ?? [];
    if (open && fence.length >= open.fence.length && info.trim() === '') {
      blocks.push(toBlock(`${file}:${open.line}`, open.info, open.lines));
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (fence) open = { fence, info, line: index + 1, lines: [] };
    else prose.push(line);
  }
  if (open) throw new Error(`${file}:${open.line}: the block is never closed`);
  const words = prose.join('\n').replaceAll(/`[^`\n]+`/g, '');
  return { file, text, blocks, prose: words, anchors: new Set(prose.flatMap(toAnchor)) };
}

/** The cells of table rows that start with a code cell, whose backticks are removed. */
export function rowsOf(page: Page): (readonly [string, ...string[]])[] {
  return page.text.split('\n').flatMap((line) => {
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    const [, name] = /^`([^`]+)`$/.exec(cells[0] ?? '') ?? [];
    return name === undefined ? [] : [[name, ...cells.slice(1)] as const];
  });
}

function toBlock(place: string, info: string, lines: readonly string[]): Block {
  const [language = '', ...words] = info.trim().split(/\s+/);
  const file = words.find((word) => word.startsWith('file='))?.slice('file='.length);
  return { place, language, words, ...(file !== undefined && { file }), text: lines.join('\n') };
}

function toAnchor(line: string): string[] {
  const [, title] = /^#{1,6} (.+)$/.exec(line) ?? [];
  if (title === undefined) return [];
  const plain = title.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, '');
  return [plain.replaceAll(' ', '-')];
}
