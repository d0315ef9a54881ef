import { toDisplayText } from '../../../policy/display-text.ts';
import { pad, widthOf } from '../layout.ts';
import { parseInline } from './parse-inline.ts';
import type { Page } from './word-writer.ts';

/** Renders the rows of a table in aligned columns, or unaligned if they are too wide. */
export function renderTable(rows: readonly string[], { width, colors }: Omit<Page, 'write'>): readonly string[] {
  const isTable = isDelimiter(rows[1] ?? '');
  const cells = rows.filter((_, at) => !(isTable && at === 1)).map((row) => cellsOf(row).map(plainText));
  const columns = Math.max(...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  const isWide = widths.reduce((sum, one) => sum + one + 3, -3) > width();
  return cells.flatMap((row, at) => {
    const filled = widths.map((one, column) => (isWide ? (row[column] ?? '') : pad(row[column] ?? '', one)));
    const isTitle = isTable && at === 0;
    const line = filled
      .map((cell) => (isTitle ? colors.bold(cell) : cell))
      .join(colors.dim(' │ '))
      .trimEnd();
    if (!isTitle || isWide) return [line];
    return [line, colors.dim(widths.map((one) => '─'.repeat(one)).join('─┼─'))];
  });
}

function isDelimiter(row: string): boolean {
  const cells = cellsOf(row);
  return cells.length > 0 && cells.every((cell) => /^:?-+:?$/.test(cell));
}

function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function plainText(cell: string): string {
  const { spans } = parseInline(cell, { isWhole: true });
  return toDisplayText(spans.map(({ text }) => text).join(''), { maxLength: 2_000 }).replaceAll('\n', ' ');
}
