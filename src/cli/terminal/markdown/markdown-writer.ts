import { toDisplayText } from '../../../policy/display-text.ts';
import { classifyLine, type LineKind } from './classify-line.ts';
import { parseInline } from './parse-inline.ts';
import { renderTable } from './render-table.ts';
import { createWordWriter, type Margins, type Page, type WordWriter } from './word-writer.ts';

/** Renders streamed Markdown: paragraphs word by word, code line by line, tables when they are complete. */
export interface MarkdownWriter {
  add(text: string): void;
  /** Writes the rest of the text. */
  end(): void;
}

interface Paragraph {
  readonly kind: 'paragraph';
  /** The number of `>` marks; a line with another number starts a new paragraph. */
  readonly quoteDepth: number;
  readonly words: WordWriter;
  text: string;
  written: number;
}

interface Fence {
  readonly kind: 'fence';
  readonly indent: number;
  readonly marker: string;
}

interface Table {
  readonly kind: 'table';
  readonly rows: string[];
}

const maxIndent = 12;

/** Creates a writer for one text. */
export function createMarkdownWriter(page: Page): MarkdownWriter {
  const { write, width, colors } = page;
  let block: Paragraph | Fence | Table | undefined;
  let line = '';
  /** The start of the current line has been written. */
  let isInText = false;
  let hasGap = false;
  let isEmpty = true;

  function separate(always = false): void {
    if (!isEmpty && (hasGap || always)) write('\n');
    hasGap = false;
    isEmpty = false;
  }

  function closeBlock(): void {
    const closed = block;
    block = undefined;
    if (closed?.kind === 'paragraph') {
      writeText(closed, true);
      closed.words.end();
    } else if (closed?.kind === 'fence') write(`${colors.dim('└──')}\n`);
    else if (closed?.kind === 'table') write(`${renderTable(closed.rows, page).join('\n')}\n`);
  }

  function writeText(paragraph: Paragraph, isWhole: boolean): void {
    const { spans, end } = parseInline(paragraph.text, { isWhole, from: paragraph.written });
    paragraph.words.add(spans);
    paragraph.written = end;
  }

  function openParagraph(margins: Margins, quoteDepth = 0): Paragraph {
    closeBlock();
    separate();
    const opened: Paragraph = {
      kind: 'paragraph',
      quoteDepth,
      words: createWordWriter(page, margins),
      text: '',
      written: 0,
    };
    block = opened;
    return opened;
  }

  /** Adds text to the open paragraph. */
  function addText(text: string): void {
    if (block?.kind !== 'paragraph') return;
    block.text += text;
    writeText(block, false);
  }

  /** Starts or continues a block; returns false if more of the line is needed. */
  function startBlock(kind: LineKind): boolean {
    if (kind.kind === 'open') return false;
    if (block?.kind === 'table' && kind.kind !== 'row') closeBlock();
    switch (kind.kind) {
      case 'blank':
        closeBlock();
        hasGap = true;
        break;
      case 'heading': {
        closeBlock();
        separate(true);
        const marks = colors.isColorSupported ? '' : `${'#'.repeat(kind.level)} `;
        const words = createWordWriter(page, { first: marks, rest: '' });
        words.add(parseInline(kind.text, { isWhole: true, style: { bold: true } }).spans);
        words.end();
        hasGap = true;
        break;
      }
      case 'rule':
        closeBlock();
        separate();
        write(`${colors.dim('─'.repeat(Math.min(width(), 40)))}\n`);
        break;
      case 'row':
        if (block?.kind !== 'table') {
          closeBlock();
          separate();
          block = { kind: 'table', rows: [] };
        }
        if (block.kind === 'table') block.rows.push(kind.text);
        break;
      case 'fence': {
        closeBlock();
        separate();
        const language = toDisplayText(kind.language, { maxLength: 40 }).replaceAll('\n', ' ');
        write(`${colors.dim(`┌── ${language}`.trimEnd())}\n`);
        block = kind;
        break;
      }
      case 'item': {
        const first = `${' '.repeat(Math.min(kind.indent, maxIndent))}${kind.bullet} `;
        openParagraph({ first, rest: ' '.repeat(first.length) });
        addText(kind.text);
        break;
      }
      case 'quote': {
        const bars = '│ '.repeat(Math.min(kind.depth, 5));
        if (block?.kind === 'paragraph' && block.quoteDepth === kind.depth && kind.text !== '') addText('\n');
        else openParagraph({ first: bars, rest: bars }, kind.depth);
        addText(kind.text);
        break;
      }
      case 'text': {
        const space = ' '.repeat(Math.min(kind.indent, maxIndent));
        if (block?.kind === 'paragraph') addText('\n');
        else openParagraph({ first: space, rest: space });
        addText(kind.text);
      }
    }
    return true;
  }

  function addCode(code: string, { indent, marker }: Fence): void {
    const isEnd = code.trim().startsWith(marker) && code.trim().replaceAll(marker[0] ?? '', '') === '';
    if (isEnd) closeBlock();
    else write(`${toDisplayText(code.replace(new RegExp(`^ {0,${indent}}`), ''), { maxLength: 100_000 })}\n`);
  }

  function endLine(): void {
    if (block?.kind === 'fence') addCode(line, block);
    else if (isInText) addText(line);
    else startBlock(classifyLine(line, true));
    line = '';
    isInText = false;
  }

  return {
    add(text) {
      const [rest = '', ...ended] = text.split('\n').toReversed();
      for (const part of ended.toReversed()) {
        line += part;
        endLine();
      }
      line += rest;
      if (block?.kind === 'fence' || line === '') return;
      if (isInText) addText(line);
      else isInText = startBlock(classifyLine(line, false));
      if (isInText) line = '';
    },
    end() {
      if (line !== '' || isInText) endLine();
      closeBlock();
    },
  };
}
