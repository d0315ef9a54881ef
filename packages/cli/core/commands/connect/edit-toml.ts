import { parse, TomlError } from 'smol-toml';
import { messageOf } from '../../../../contract/errors.ts';
import { toTomlTable } from '../../../../gateway/core/clients/entry-text.ts';
import { canonicalJson } from '../../../../toolwharf/kernel/canonical-json.ts';
import { FileEditError } from './edit-json.ts';

/** Sets a table of a TOML file, at a map and a name in it, and preserves every other line. */
export function setInToml(text: string, [map, name]: readonly [string, string], entry: object): string {
  const before = parseToml(text);
  const tables = Object.hasOwn(before, map) ? before[map] : {};
  if (!isTable(tables)) throw new FileEditError(`'${map}' must be a table`);
  if (Object.hasOwn(tables, name) && isEqual(tables[name], entry)) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const kept = withoutTable(text.split(/\r?\n/), [map, name]).join(eol).trimEnd();
  const table = toTomlTable([map, name], entry).replaceAll('\n', eol);
  const after = kept === '' ? table : `${kept}${eol}${eol}${table}`;
  // The lines of a table are found without a full parser: the result proves that nothing else changed.
  if (!isEqual(tryParse(after), { ...before, [map]: { ...tables, [name]: entry } }))
    throw new FileEditError(`'${map}.${name}' is written in a form that cannot be replaced: remove it first`);
  return after;
}

/** Parses a TOML file; a mistake in it is reported with its line. */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw new FileEditError(messageOf(cause));
    const [reason = ''] = cause.message.replace('Invalid TOML document: ', '').split('\n');
    throw new FileEditError(`line ${cause.line}, column ${cause.column}: ${reason}`);
  }
}

function tryParse(text: string): Record<string, unknown> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The lines without those of a table and the tables in it. Comments above the next table stay with that table. */
function withoutTable(lines: readonly string[], path: readonly string[]): string[] {
  const kept: string[] = [];
  let isInside = false;
  let comments: string[] = [];
  for (const line of lines) {
    const header = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) {
      const keys = keysOf(header);
      const isOurs = path.every((key, index) => keys[index] === key);
      if (isInside && !isOurs) kept.push(...comments);
      isInside = isOurs;
      comments = [];
    }
    if (!isInside) kept.push(line);
    else if (/^\s*(?:#|$)/.test(line)) comments.push(line);
    else comments = [];
  }
  return kept;
}

/** The keys of `a."b.c".d`. */
function keysOf(header: string): string[] {
  return [...header.matchAll(/\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^.\s]+)\s*(?:\.|$)/g)].map(([, key = '']) => {
    if (key.startsWith("'")) return key.slice(1, -1);
    try {
      return key.startsWith('"') ? String(JSON.parse(key)) : key;
    } catch {
      return key;
    }
  });
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEqual(one: unknown, other: unknown): boolean {
  const [left, right] = [one, other].map((value) => JSON.stringify(value));
  return (
    left !== undefined && right !== undefined && canonicalJson(JSON.parse(left)) === canonicalJson(JSON.parse(right))
  );
}
