import { isRecord } from './is-record.ts';

/** One line of a JSON tree. */
export type JsonRow = {
  /** JSON pointer to the value: unique in the tree. */
  readonly path: string;
  readonly level: number;
  /** Property name or index; none for the root. */
  readonly name?: string | number;
} & (
  | { readonly kind: 'branch'; readonly isArray: boolean; readonly size: number; readonly open: boolean }
  | { readonly kind: 'leaf'; readonly value: unknown; readonly long: boolean; readonly open: boolean }
  | { readonly kind: 'more'; readonly left: number }
);

export interface JsonTreeState {
  /** Paths of the open values. */
  readonly open: ReadonlySet<string>;
  /** The number of visible members by path, where it is more than `pageSize`. */
  readonly shown: ReadonlyMap<string, number>;
}

/** The number of members shown at first, and added by each "Show more". */
export const pageSize = 100;

/** Longer texts are shortened until they are opened. */
export const longText = 160;

/** The lines of a tree from top to bottom. Closed values are not visited, however large they are. */
export function toJsonRows(root: unknown, { open, shown }: JsonTreeState): JsonRow[] {
  const rows: JsonRow[] = [];
  const waiting: (Visit | JsonRow)[] = [{ value: root, path: '', level: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if ('kind' in next) {
      rows.push(next);
      continue;
    }
    const { value, ...place } = next;
    const isOpen = open.has(place.path);
    const members = membersOf(value);
    if (!members) {
      rows.push({ ...place, kind: 'leaf', value, long: isLong(value), open: isOpen });
      continue;
    }
    rows.push({ ...place, kind: 'branch', isArray: Array.isArray(value), size: members.length, open: isOpen });
    if (!isOpen) continue;
    const limit = shown.get(place.path) ?? pageSize;
    const left = members.length - limit;
    if (left > 0) waiting.push({ path: `${place.path}/…`, level: place.level + 1, kind: 'more', left });
    for (let at = Math.min(limit, members.length) - 1; at >= 0; at--) {
      const name = members.nameAt(at);
      const path = `${place.path}/${escapePointer(name)}`;
      waiting.push({ value: members.valueAt(at), path, level: place.level + 1, name });
    }
  }
  return rows;
}

/** Opens level after level as long as the tree has at most `maxRows` lines. */
export function openWithin(root: unknown, maxRows: number): ReadonlySet<string> {
  let open: ReadonlySet<string> = new Set(['']);
  for (;;) {
    const rows = toJsonRows(root, { open, shown: new Map() });
    const closed = rows.filter((row) => row.kind === 'branch' && !row.open && row.size > 0);
    if (closed.length === 0) return open;
    const next = new Set([...open, ...closed.map(({ path }) => path)]);
    if (toJsonRows(root, { open: next, shown: new Map() }).length > maxRows) return open;
    open = next;
  }
}

interface Visit {
  readonly value: unknown;
  readonly path: string;
  readonly level: number;
  readonly name?: string | number;
}

interface Members {
  readonly length: number;
  nameAt(at: number): string | number;
  valueAt(at: number): unknown;
}

function membersOf(value: unknown): Members | undefined {
  if (Array.isArray(value)) return { length: value.length, nameAt: (at) => at, valueAt: (at) => value[at] };
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value);
  return {
    length: names.length,
    nameAt: (at) => names[at] ?? '',
    valueAt: (at) => value[names[at] ?? ''],
  };
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && (value.length > longText || value.includes('\n'));
}

function escapePointer(name: string | number): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
