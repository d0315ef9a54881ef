import { ToolwharfError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { isSecretName } from '../kernel/secret-names.ts';
import { withoutSecrets } from './server-url.ts';

/** Keys and indexes from the top of a document to a value. */
export type Path = readonly (string | number)[];

/** One thing wrong with a configuration, as programs see it in `error.data.problems`. */
export interface Problem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The environment variable, or `command line`, that set the value. */
  readonly setBy?: string;
  /** The key path as the file spells it, such as `servers.github.timeout`. */
  readonly path: string;
  readonly message: string;
  /** What stands there; for values that may be secret only their type. */
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly suggestion?: string;
}

/** A problem before its place in the file is known. */
export interface Finding {
  readonly path: Path;
  readonly message: string;
  readonly found?: string;
  readonly allowed?: readonly string[];
  readonly suggestion?: string;
  /** Point at the key instead of its value. */
  readonly atKey?: boolean;
}

/** One `CONFIG_INVALID` that lists every problem, as text and as `data.problems`. */
export function configError(found: readonly Problem[], file?: string): ToolwharfError {
  const problems = inOrder(found);
  const shown = problems.slice(0, mostShown);
  const lines = shown.map((problem) => `  ${problemLine(problem)}`);
  if (problems.length > shown.length) lines.push(`  and ${problems.length - shown.length} more`);
  const subject = file ?? 'The configuration';
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return new ToolwharfError('CONFIG_INVALID', `${subject} has ${count}:\n${lines.join('\n')}`, {
    data: { ...(file !== undefined && { file }), problems: shown },
  });
}

/** `file:line:column  key.path  message`. */
export function problemLine(problem: Problem): string {
  const { file, line, column, setBy, path } = problem;
  const position = setBy ?? (file && line ? `${file}:${line}:${column}` : file);
  return [position, path, problemText(problem)].filter(Boolean).join('  ');
}

/** The message with what was found, what is allowed, and a suggestion. */
export function problemText(problem: Pick<Finding, 'message' | 'found' | 'allowed' | 'suggestion'>): string {
  const { message, found, allowed, suggestion } = problem;
  let text = message;
  if (found !== undefined) text += `, found ${found}`;
  // A suggestion is more helpful than a long list of keys.
  if (allowed && (suggestion === undefined || allowed.length <= 8)) text += `; allowed: ${allowed.join(', ')}`;
  if (suggestion !== undefined) text += `; did you mean '${suggestion}'?`;
  return text;
}

/** `servers.github.args[0]`; keys that are not plain words stand in quotes. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      if (!/^[\w$@/-]+$/.test(part)) return `[${JSON.stringify(part.slice(0, 100))}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** A value for a message: short, and only its type where it may be a secret. */
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

/** The value at a path, or undefined. */
export function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

/** By place, each once: one wrong value that several servers share is one problem. */
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
