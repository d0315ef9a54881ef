import { readFileSync, statSync } from 'node:fs';
import { ToolwharfError } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { isSecretName } from '../../contract/secret-names.ts';
import type { Log } from '../kernel/log.ts';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type Reference =
  | { readonly kind: 'variable'; readonly name: string; readonly fallback?: string }
  | { readonly kind: 'file'; readonly path: string };

/**
 * Parses a value that is exactly one reference: `${VAR}`, `${VAR:-default}` or `${file:/path}`. `prefix_${VAR}` is not
 * a reference.
 */
export function parseReference(value: string): Reference | undefined {
  const file = /^\$\{file:([^{}]+)\}$/.exec(value);
  if (file?.[1]) return { kind: 'file', path: file[1] };
  const variable = /^\$\{([^{}:]+)(?::-(.*))?\}$/s.exec(value);
  if (!variable?.[1]) return undefined;
  if (variable[2] === undefined) return { kind: 'variable', name: variable[1] };
  // `${A:-x}_${B}` contains two references. It is not one reference with the default `x}_${B`.
  if (variable[2].includes('${')) return undefined;
  return { kind: 'variable', name: variable[1], fallback: variable[2] };
}

/** Parses a value that is exactly one `${scheme:path}` of a scheme that plugins can add. */
export function parseSecretReference(value: string): { readonly scheme: string; readonly path: string } | undefined {
  if (parseReference(value)) return undefined;
  const [, scheme, path] = /^\$\{([a-z][a-z0-9-]{0,39}):([^{}]+)\}$/.exec(value) ?? [];
  return scheme === undefined || path === undefined ? undefined : { scheme, path };
}

/** The schemes whose values programs of this machine print. Only the configuration file can use them. */
export const programSchemes = ['command', 'keychain'] as const;

export const isProgramScheme = (scheme: string | undefined): scheme is (typeof programSchemes)[number] =>
  programSchemes.some((one) => one === scheme);

export interface SecretReferenceText {
  readonly text: string;
  readonly scheme: string;
  readonly path: string;
}

/** Every `${scheme:path}` in a value, at any depth, once. */
export function findSecretReferences(value: unknown): readonly SecretReferenceText[] {
  if (typeof value === 'string') {
    const reference = parseSecretReference(value);
    return reference ? [{ text: value, ...reference }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const found = Object.values(value).flatMap(findSecretReferences);
  return [...new Map(found.map((reference) => [reference.text, reference])).values()];
}

/** The values of `${scheme:…}` references that plugins have resolved for a session, by the text of the reference. */
export type SecretValues = ReadonlyMap<string, string>;

/**
 * Resolves a value that may be a reference. A missing variable resolves to '' and calls `onMissing`. An unreadable file
 * throws an error that names the path.
 */
export function resolveReference(
  value: string,
  env: Environment,
  onMissing?: (variable: string) => void,
  secrets?: Pick<SecretValues, 'get'>,
): string {
  const secret = secrets?.get(value);
  if (secret !== undefined) return secret;
  const reference = parseReference(value);
  if (!reference) return value;
  if (reference.kind === 'file') return readSecretFile(reference.path);
  const found = Object.hasOwn(env, reference.name) ? env[reference.name] : undefined;
  // As in a shell, `:-` also replaces an empty value.
  if (reference.fallback !== undefined) return found || reference.fallback;
  if (found === undefined) onMissing?.(reference.name);
  return found ?? '';
}

export interface ResolveOptions {
  /** Default: `process.env`. */
  readonly env?: Environment;
  readonly log?: Log;
  /** The values of references that plugins have resolved. Default: none. */
  readonly secrets?: ReadonlyMap<string, string>;
}

/**
 * Resolves every reference in a record. Logs the name of each missing variable and never logs a value.
 *
 * @example
 * ```ts
 * import { resolveEnv } from 'toolwharf';
 *
 * console.log(resolveEnv({ TOKEN: '${MY_TOKEN}' }, { env: { MY_TOKEN: 'secret' } })); // { TOKEN: 'secret' }
 * ```
 */
export function resolveEnv(record: Readonly<Record<string, string>>, options: ResolveOptions = {}) {
  const { env = process.env, log, secrets } = options;
  const resolved = Object.entries(record).map(([key, value]) => {
    const warn = (variable: string) =>
      log?.warning('config.variable-missing', `Environment variable '${variable}' is not set, '${key}' is empty`, {
        variable,
        key,
      });
    return [key, resolveReference(value, env, warn, secrets)] as const;
  });
  return Object.fromEntries(resolved) as Record<string, string>;
}

export interface ResolveOptionsContext extends ResolveOptions {
  /** Receives each value that may be secret: that of a reference, or of a key with the name of a secret. */
  readonly onSecret?: (value: string) => void;
}

/** Resolves every reference in the texts of options, at any depth. */
export function resolveOptions(options: JsonObject, context: ResolveOptionsContext = {}): JsonObject {
  const resolve = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, key));
    if (isObject(value)) return resolveOptions(value, context);
    if (typeof value !== 'string') return value;
    const resolved = resolveEnv({ [key]: value }, context)[key] ?? '';
    if (resolved !== value || isSecretName(key)) context.onSecret?.(resolved);
    return resolved;
  };
  return Object.fromEntries(Object.entries(options).map(([key, value]) => [key, resolve(value, key)]));
}

const largestSecretBytes = 1024 * 1024;

function readSecretFile(path: string): string {
  try {
    // Reading a pipe or a device could block or never end.
    const entry = statSync(path);
    if (!entry.isFile()) throw new Error('it is not a file');
    if (entry.size > largestSecretBytes) throw new Error('it is larger than 1 MiB');
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw new ToolwharfError('CONFIG_INVALID', `The file '${path}' of a \${file:…} value can't be read`, {
      cause,
      data: { path },
    });
  }
}
