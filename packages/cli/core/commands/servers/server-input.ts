import { messageOf } from '../../../../contract/errors.ts';
import { type JsonObject, omitUndefined } from '../../../../contract/json.ts';
import { type Environment, resolveReference } from '../../../../toolwharf/config/references.ts';
import { UsageError } from '../../errors.ts';
import { readSettings } from '../../program/setting-options.ts';

/** The settings of a server that are not options of the same form: see `setting-options.ts` for those. */
export interface ServerOptions {
  readonly url?: string;
  readonly command?: string;
  readonly env?: readonly string[];
  readonly transport?: string;
  readonly openapi?: string;
  readonly header?: readonly string[];
  readonly bearer?: string;
  readonly apiKey?: string;
  readonly apiKeyHeader?: string;
  readonly basic?: string;
  readonly oauth?: boolean;
  readonly disabled?: boolean;
  readonly rate?: string;
}

/**
 * The server in the terms of the REST API; a setting that is not given is not a key of the result. A value of the form
 * `${VAR}` or `${file:…}` is resolved here, which keeps secrets off the command line.
 */
export function toServerInput(options: ServerOptions, args: readonly string[], env: Environment): JsonObject {
  const { url, command, openapi, rate } = options;
  if (url !== undefined && command !== undefined) throw new UsageError('Use either --url or --command');
  const resolve = (option: string, value: string) => resolveOption(option, value, env);
  const transport =
    command !== undefined
      ? 'stdio'
      : (options.transport ?? (url === undefined ? undefined : openapi === undefined ? 'auto' : 'api'));
  const [calls = '', per = ''] = rate?.split('/') ?? [];
  return omitUndefined({
    ...readSettings('server', options),
    url: url === undefined ? undefined : resolve('--url', url),
    openapi: openapi === undefined ? undefined : resolve('--openapi', openapi),
    command,
    transport,
    args: args.length > 0 ? args.map((arg) => resolve('an argument', arg)) : undefined,
    env: options.env && parsePairs('--env', options.env, '=', resolve),
    headers: options.header && parsePairs('--header', options.header, ':', resolve),
    authentication: toAuthentication(options, resolve),
    enabled: options.disabled ? false : undefined,
    rate: rate === undefined ? undefined : { calls: Number(calls), per },
  });
}

type Resolve = (option: string, value: string) => string;

function toAuthentication(options: ServerOptions, resolve: Resolve): JsonObject | undefined {
  const given = (['bearer', 'apiKey', 'basic', 'oauth'] as const).filter((key) => options[key] !== undefined);
  if (given.length > 1) throw new UsageError('Use only one of --bearer, --api-key, --basic and --oauth');
  if (options.bearer !== undefined) return { type: 'bearer', token: resolve('--bearer', options.bearer) };
  if (options.apiKey !== undefined) {
    return { type: 'api-key', key: resolve('--api-key', options.apiKey), header: options.apiKeyHeader };
  }
  if (options.basic !== undefined) {
    const [username = '', ...rest] = options.basic.split(':');
    if (rest.length === 0) throw new UsageError('--basic must be user:password');
    return { type: 'basic', username, password: resolve('--basic', rest.join(':')) };
  }
  return options.oauth ? { type: 'oauth' } : undefined;
}

/** The option of commands that use a server by its URL. */
export interface HeaderOption {
  readonly header?: readonly string[];
}

/** Parses `--header` options and resolves references in their values. */
export function parseHeaders(header: readonly string[] = [], env: Environment): Record<string, string> {
  return parsePairs('--header', header, ':', (option, value) => resolveOption(option, value, env));
}

/** Parses `name=value` options and resolves each value. */
export function parsePairs(
  option: string,
  given: readonly string[],
  separator: string,
  resolve: Resolve,
): Record<string, string> {
  const entries = given.map((pair) => {
    const at = pair.indexOf(separator);
    if (at < 1) throw new UsageError(`${option} must be name${separator}value, got '${pair.slice(0, 40)}'`);
    return [pair.slice(0, at).trim(), resolve(option, pair.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(entries);
}

/** The value of an option, with a `${VAR}` or `${file:…}` reference resolved. */
export function resolveOption(option: string, value: string, env: Environment): string {
  try {
    return resolveReference(value, env, (variable) => {
      throw new UsageError(`${option}: the environment variable ${variable} is not set`);
    });
  } catch (cause) {
    throw cause instanceof UsageError ? cause : new UsageError(`${option}: ${messageOf(cause)}`);
  }
}
