import { jsonText, oneLine, pad, shorten, widthOf } from './format.ts';
import type { Terminal } from './terminal.ts';

export interface ListOptions<Item> {
  readonly json?: boolean;
  /** Printed on stderr if there are no items. */
  readonly empty: string;
  /** The text of each column, by its title. */
  readonly columns: Readonly<Record<string, (item: Item) => string | undefined>>;
  /** The titles of columns that are never shortened. */
  readonly whole?: readonly string[];
  /** The titles of columns that are shortened only when the others are as short as possible. */
  readonly main?: readonly string[];
}

/** Prints items as a JSON array or as a table. */
export function printList<Item>(
  terminal: Terminal,
  items: readonly Item[],
  { json, empty, columns, whole, main }: ListOptions<Item>,
): void {
  if (json) terminal.print(jsonText(items));
  else if (items.length === 0) terminal.note(empty);
  else {
    const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)));
    printTable(terminal, Object.keys(columns), rows, { whole, main });
  }
}

/** Prints the outcome of a command: a sentence, or its subject as JSON. */
export function printDone(
  terminal: Terminal,
  { json }: { readonly json?: boolean },
  sentence: string,
  subject: object,
): void {
  terminal.print(json ? jsonText(subject) : sentence);
}

/** Prints rows in aligned columns; on a terminal, the widest columns are shortened to fit its width. */
export function printTable(
  terminal: Terminal,
  titles: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  { whole = [], main = [] }: Pick<ListOptions<never>, 'whole' | 'main'> = {},
): void {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell ?? '')));
  const full = titles.map((title, at) => Math.max(...[title, ...cells.map((row) => row[at] ?? '')].map(widthOf)));
  const isIn = (list: readonly string[]) => (at: number) => list.includes(titles[at] ?? '');
  const shortened = fitWidths(full, terminal.width, isIn([...whole, ...main]));
  const widths = terminal.isPerson ? fitWidths(shortened, terminal.width, isIn(whole)) : full;
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => pad(shorten(cell, widths[at] ?? 0), widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  terminal.print(terminal.colors.dim(line(titles)));
  for (const row of cells) terminal.print(line(row));
}

/** Reduces the widest columns until the table fits; a column keeps at least six characters. */
function fitWidths(full: readonly number[], width: number, isWhole: (column: number) => boolean): readonly number[] {
  const widths = [...full];
  let excess = widths.reduce((sum, column) => sum + column + 2, -2) - width;
  for (; excess > 0; excess--) {
    const most = Math.max(...widths.filter((_, at) => !isWhole(at)));
    if (most <= 6) break;
    widths[widths.findIndex((column, at) => column === most && !isWhole(at))] = most - 1;
  }
  return widths;
}

/** A server's address for a table: the hash of a local command is shortened. */
export function shortAddress(address: string | undefined): string {
  return (address ?? 'local').replace(/^(stdio:[0-9a-f]{12})[0-9a-f]+$/, '$1…');
}
