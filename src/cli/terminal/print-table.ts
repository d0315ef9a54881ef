import { oneLine, pad, shorten, widthOf } from './layout.ts';
import type { Terminal } from './terminal.ts';

/** Rows under their titles, in columns as wide as they need; the last one takes what is left of the line. */
export function printTable(
  terminal: Terminal,
  titles: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
): void {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell ?? '')));
  const widths = titles.map((title, at) => Math.max(...[title, ...cells.map((row) => row[at] ?? '')].map(widthOf)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => pad(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const cut = (text: string) => (terminal.isPerson ? shorten(text, terminal.width) : text);
  terminal.print(terminal.colors.dim(cut(line(titles))));
  for (const row of cells) terminal.print(cut(line(row)));
}
