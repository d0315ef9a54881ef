import { parse } from 'yaml';
import { toCamelCase } from './canonical-keys.ts';
import { isPlainMap, type PlainData, type PlainObject } from './plain-data.ts';
import type { Finding, Path } from './problems.ts';
import type { Environment } from './references.ts';

/** A path in a document and the environment variable, or `command line`, that set its value. */
export interface SetBy {
  readonly path: Path;
  readonly setBy: string;
}

export interface Overridden {
  readonly setBy: readonly SetBy[];
  readonly findings: readonly (Finding & { readonly setBy: string })[];
}

/** `TOOLWHARF__…` sets keys of the native dialect. `APP_MYAI__…` sets keys of a `myai` file. */
export type OverridePrefix = 'TOOLWHARF__' | 'APP_';

/**
 * Applies environment variables to a document: `TOOLWHARF__TOOLBOX__MAX_CONCURRENT=5`,
 * `APP_MYAI__TOOLBOX__MCPS__0__MODE=dynamic`. Double underscores separate keys, numbers are indexes, existing keys
 * match case-insensitively, and values are YAML scalars.
 */
export function applyEnvironment(document: PlainObject, env: Environment, prefix: OverridePrefix): Overridden {
  const wanted = prefix === 'APP_' ? 'APP_MYAI__' : prefix;
  const setBy: SetBy[] = [];
  const findings: (Finding & { setBy: string })[] = [];
  const variables = Object.keys(env).filter((name) => name.startsWith(wanted));
  // Numeric order applies index 9 before index 10, so that variables can append to a list.
  for (const variable of variables.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const value = env[variable];
    if (value === undefined) continue;
    const segments = variable.slice(prefix.length).split('__');
    const outcome = segments.includes('')
      ? { path: [], message: 'is not a path of keys joined by double underscores' }
      : setAt(document, segments, value);
    if ('message' in outcome) findings.push({ ...outcome, setBy: variable });
    else setBy.push({ path: outcome.path, setBy: variable });
  }
  return { setBy, findings };
}

/** Deep-merges command line values: merges maps by key and replaces all other values. */
export function applyOverrides(document: PlainObject, overrides: PlainObject, path: Path = []): SetBy[] {
  return Object.entries(overrides).flatMap(([segment, value]) => {
    const { key } = findKey(document, segment, path);
    const name = key ?? segment;
    const here = [...path, name];
    const current = key === undefined ? undefined : document[key];
    if (isPlainMap(value) && isPlainMap(current)) return applyOverrides(current, value, here);
    document[name] = value;
    return [{ path: here, setBy: 'command line' }];
  });
}

type Outcome = { readonly path: Path } | { readonly path: Path; readonly message: string };

function setAt(document: PlainObject, segments: readonly string[], text: string): Outcome {
  let container: PlainObject | PlainData[] = document;
  let path: Path = [];
  let created: Path | undefined;
  for (const [index, segment] of segments.entries()) {
    const step = stepInto(container, segment, path);
    if ('message' in step) return { path, message: step.message };
    path = [...path, step.key];
    if (!step.exists) created ??= path;
    if (index === segments.length - 1) {
      write(container, step.key, toValue(text, path));
      break;
    }
    const next: PlainData | undefined = step.exists
      ? (container as Record<string | number, PlainData>)[step.key]
      : undefined;
    if (typeof next === 'object' && next !== null) container = next;
    else if (next === undefined || next === null) {
      const made: PlainObject | PlainData[] = /^\d+$/.test(segments[index + 1] ?? '') ? [] : {};
      write(container, step.key, made);
      container = made;
    } else return { path, message: 'is a single value, nothing can be set inside it' };
  }
  return { path: created ?? path };
}

type Step = { readonly key: string | number; readonly exists: boolean } | { readonly message: string };

function stepInto(container: PlainObject | PlainData[], segment: string, path: Path): Step {
  if (!Array.isArray(container)) {
    const { key, ambiguous } = findKey(container, segment, path);
    if (ambiguous) return { message: `'${segment}' fits more than one key: ${ambiguous.join(', ')}` };
    if (key !== undefined) return { key, exists: true };
    return { key: keepsCase(path) ? segment : segment.toLowerCase(), exists: false };
  }
  if (!/^\d+$/.test(segment)) return { message: `is a list: '${segment}' should be an index` };
  const index = Number(segment);
  if (index > container.length) return { message: `has ${container.length} entries, there is no index ${segment}` };
  return { key: index, exists: index < container.length };
}

function findKey(map: PlainObject, segment: string, path: Path): { key?: string; ambiguous?: readonly string[] } {
  if (Object.hasOwn(map, segment)) return { key: segment };
  const simplify = (name: string) => (keepsCase(path) ? name.toLowerCase() : name.toLowerCase().replace(/[-_. ]/g, ''));
  const matches = Object.keys(map).filter((key) => simplify(key) === simplify(segment));
  if (matches.length > 1) return { ambiguous: matches };
  return matches[0] === undefined ? {} : { key: matches[0] };
}

/** Keys in `env` and `headers` are names of variables and headers, so their case is preserved. */
function keepsCase(path: Path): boolean {
  return (path.at(-1) === 'env' || path.at(-1) === 'headers') && path.at(-2) !== 'servers';
}

function write(container: PlainObject | PlainData[], key: string | number, value: PlainData): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else container[key] = value;
}

function toValue(text: string, path: Path): PlainData {
  // A token that consists of digits must remain a string.
  const inside = path.at(-3) !== 'servers' && textMaps.has(String(path.at(-2)));
  if (inside || textKeys.has(toCamelCase(String(path.at(-1))))) return text;
  try {
    const value: unknown = parse(text, { schema: 'core', logLevel: 'silent', maxAliasCount: 0 });
    if (typeof value === 'number' || typeof value === 'boolean') return value;
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : text;
  } catch {
    return text;
  }
}

const textMaps = new Set(['env', 'headers', 'authentication', 'args', 'jwt', 'webhook']);
const textKeys = new Set([
  'command',
  'cwd',
  'url',
  'description',
  'name',
  'host',
  'database',
  'clientId',
  'clientSecret',
]);
