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
  /** The titles of columns that are left out, in this order, while a terminal is too narrow for the titles and main columns. */
  readonly optional?: readonly string[];
}

/** Prints items as a JSON array or as a table. */
export function printList<Item>(
  terminal: Terminal,
  items: readonly Item[],
  { json, empty, columns, ...layout }: ListOptions<Item>,
): void {
  if (json) terminal.print(jsonText(items));
  else if (items.length === 0) terminal.say(empty);
  else {
    const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)));
    printTable(terminal, Object.keys(columns), rows, layout);
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

type Layout = Pick<ListOptions<never>, 'whole' | 'main' | 'optional'>;

/** Prints rows in aligned columns; on a terminal, the widest columns are shortened to fit its width. */
export function printTable(
  terminal: Terminal,
  titles: readonly string[],
  rows: readonly (readonly (string | undefined)[])[],
  layout: Layout = {},
): void {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell ?? '')));
  const full = titles.map((title, at) => Math.max(...[title, ...cells.map((row) => row[at] ?? '')].map(widthOf)));
  const widths = terminal.isPerson ? layOut(titles, full, terminal.width, layout) : full;
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => pad(shorten(cell, widths[at] ?? 0), widths[at] ?? 0))
      .filter((_, at) => widths[at] !== 0)
      .join('  ')
      .trimEnd();
  terminal.print(terminal.colors.dim(line(titles)));
  for (const row of cells) terminal.print(line(row));
}

/** The widths of the columns in a terminal; 0 for a column that is left out. */
function layOut(
  titles: readonly string[],
  full: readonly number[],
  width: number,
  { whole = [], main = [], optional = [] }: Layout,
): readonly number[] {
  const isIn = (list: readonly string[]) => (at: number) => list.includes(titles[at] ?? '');
  const isKept = isIn([...whole, ...main]);
  const needed = full.map((column, at) => (isKept(at) ? column : widthOf(titles[at] ?? '')));
  let shown: readonly number[] = full;
  for (const title of optional) {
    if (excessOf(needed, width) <= 0) break;
    const at = titles.indexOf(title);
    needed[at] = 0;
    shown = shown.with(at, 0);
  }
  // The columns become as narrow as their titles, then narrower, then the main columns too.
  const minimums = (isFixed: (at: number) => boolean) => shown.map((column, at) => (isFixed(at) ? column : 6));
  return [needed, minimums(isKept), minimums(isIn(whole))].reduce(
    (widths, minimum) => fitWidths(widths, width, minimum),
    shown,
  );
}

function excessOf(widths: readonly number[], width: number): number {
  return widths.reduce((sum, column) => sum + (column > 0 ? column + 2 : 0), -2) - width;
}

/** Reduces the widest columns until the table fits; no column becomes narrower than its minimum. */
function fitWidths(full: readonly number[], width: number, minimums: readonly number[]): readonly number[] {
  const widths = [...full];
  const canShrink = (at: number) => (widths[at] ?? 0) > (minimums[at] ?? 0);
  for (let excess = excessOf(widths, width); excess > 0; excess--) {
    const most = Math.max(...widths.filter((_, at) => canShrink(at)));
    const widest = widths.findIndex((column, at) => column === most && canShrink(at));
    if (widest < 0) break;
    widths[widest] = most - 1;
  }
  return widths;
}

/** A server's address for a table: the hash of a local command is shortened. */
export function shortAddress(address: string | undefined): string {
  return (address ?? 'local').replace(/^(stdio:[0-9a-f]{12})[0-9a-f]+$/, '$1…');
}
