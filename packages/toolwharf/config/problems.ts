import { ToolwharfError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { isSecretName } from '../../contract/secret-names.ts';
import { withoutSecrets } from '../../contract/settings/server-url.ts';

/** Keys and indexes from the root of a document to a value. */
export type Path = readonly (string | number)[];

/** One configuration problem, as listed in `error.data.problems`. */
export interface Problem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The environment variable, or `command line`, that set the value. */
  readonly setBy?: string;
  /** The key path in the spelling of the file, such as `servers.github.timeout`. */
  readonly path: string;
  readonly message: string;
  /** The invalid value. If the value may be secret, only its type. */
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly suggestion?: string;
}

/** A problem without its position in the file. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly suggestion?: string;
  /** Report the position of the key instead of the position of the value. */
  readonly atKey?: boolean;
  /** The position in a text, counted in characters, to report instead of its start. */
  readonly offset?: number;
}

/** Creates one `CONFIG_INVALID` error that lists every problem in its message and in `data.problems`. */
export function configError(found: readonly Problem[], file?: string): ToolwharfError {
  const problems = inOrder(found);
  const shown = problems.slice(0, mostShown);
  const lines = shown.map((problem) => `  ${problemLine(problem)}`);
  if (problems.length > shown.length) lines.push(`  and ${problems.length - shown.length} more`);
  const subject = file ?? 'The configuration';
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new ToolwharfError('CONFIG_INVALID', `${subject} has ${count}:\n${lines.join('\n')}`, {
    data: { file, problems: shown },
  });
}

/** Formats a problem as `file:line:column  key.path  message`. */
export function problemLine(problem: Problem): string {
  const { file, line, column, setBy, path } = problem;
  const position = setBy ?? (file && line ? `${file}:${line}:${column}` : file);
  return [position, path, problemText(problem)].filter(Boolean).join('  ');
}

/** Formats the message, the invalid value, the allowed values and the suggestion. */
export function problemText(problem: Pick<Finding, 'message' | 'found' | 'allowed' | 'suggestion'>): string {
  const { message, found, allowed, suggestion } = problem;
  let text = message;
  if (found !== undefined) text += `, found ${found}`;
  // A suggestion replaces a long list of allowed values.
  if (allowed && (suggestion === undefined || allowed.length <= 8)) text += `; allowed: ${allowed.join(', ')}`;
  if (suggestion !== undefined) text += `; did you mean '${suggestion}'?`;
  return text;
}

/** Formats a path as `servers.github.args[0]`. Keys with special characters are quoted. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\w$@/-]+$/.test(part)) return `[${JSON.stringify(part.slice(0, 100))}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** Formats a value for a message: truncated, and only its type if the value may be secret. */
export function describeValue(value: unknown, path: Path): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a map';
  if (mayBeSecret(path)) return typeof value === 'string' ? 'text' : `a ${typeof value}`;
  if (typeof value !== 'string') return String(value);
  const safe = withoutSecrets(value);
  return JSON.stringify(safe.length > 60 ? `${safe.slice(0, 60)}…` : safe);
}

/** Returns the value at a path, or undefined. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** Removes duplicates and sorts by position. Several servers can share one invalid value. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
  return [...unique.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

const mostShown = 500;
const secretKeys = new Set(['env', 'headers', 'authentication', 'auth', 'oauth', 'args']);

function mayBeSecret(path: Path): boolean {
  const last = path.at(-1);
  return path.some((part) => secretKeys.has(String(part).toLowerCase())) || isSecretName(String(last ?? ''));
}
