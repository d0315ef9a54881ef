import { messageOf } from '../../../../contract/errors.ts';
import { type JsonObject, omitUndefined } from '../../../../contract/json.ts';
import { parseDuration } from '../../../../contract/settings/durations.ts';
import { type Environment, resolveReference } from '../../../../toolwharf/config/references.ts';
import { UsageError } from '../../errors.ts';

/** The settings of a server on the command line. */
export interface ServerOptions {
  readonly url?: string;
  readonly command?: string;
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly transport?: string;
  readonly openapi?: string;
  readonly header?: readonly string[];
  readonly bearer?: string;
  readonly apiKey?: string;
  readonly apiKeyHeader?: string;
  readonly basic?: string;
  readonly oauth?: boolean;
  readonly allowInsecure?: boolean;
  readonly description?: string;
  readonly timeout?: string;
  readonly retryAttempts?: string;
  readonly disabled?: boolean;
  readonly required?: boolean;
  readonly trusted?: boolean;
  readonly protocol?: string;
  readonly mode?: string;
  readonly onChange?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly prompt?: readonly string[];
  readonly root?: readonly string[];
  readonly rate?: string;
  readonly maxInstances?: string;
  readonly toolTimeout?: string;
}

/**
 * The server in the terms of the REST API; a setting that is not given is not a key of the result. A value of the form
 * `${VAR}` or `${file:…}` is resolved here, which keeps secrets off the command line.
 */
export function toServerInput(options: ServerOptions, args: readonly string[], env: Environment): JsonObject {
  const { url, command, openapi, cwd, description, timeout, retryAttempts } = options;
  if (url !== undefined && command !== undefined) throw new UsageError('Use either --url or --command');
  const resolve = (option: string, value: string) => resolveOption(option, value, env);
  const transport =
    command !== undefined
      ? 'stdio'
      : (options.transport ?? (url === undefined ? undefined : openapi === undefined ? 'auto' : 'api'));
  return omitUndefined({
    url: url === undefined ? undefined : resolve('--url', url),
    openapi: openapi === undefined ? undefined : resolve('--openapi', openapi),
    command,
    transport,
    args: args.length > 0 ? args.map((arg) => resolve('an argument', arg)) : undefined,
    cwd,
    env: options.env && parsePairs('--env', options.env, '=', resolve),
    headers: options.header && parsePairs('--header', options.header, ':', resolve),
    authentication: toAuthentication(options, resolve),
    allowInsecure: options.allowInsecure,
    description,
    timeout: timeout === undefined ? undefined : parseTimeout(timeout),
    retryAttempts: retryAttempts === undefined ? undefined : Number(retryAttempts),
    enabled: options.disabled ? false : undefined,
    ...toPolicy(options),
  });
}

/** The settings that limit what a server's tools may do; the gateway validates their values. */
function toPolicy(options: ServerOptions): JsonObject {
  const { required, trusted, protocol, mode, onChange, allow, deny, prompt, root, maxInstances, toolTimeout } = options;
  const [calls = '', per = ''] = options.rate?.split('/') ?? [];
  const hasLimits = maxInstances !== undefined || toolTimeout !== undefined;
  const limits = { maxInstances: maxInstances === undefined ? undefined : Number(maxInstances), timeout: toolTimeout };
  return {
    required,
    trusted,
    protocol,
    mode,
    onChange,
    allow,
    deny,
    prompts: prompt,
    roots: root,
    rate: options.rate === undefined ? undefined : { calls: Number(calls), per },
    defaultToolConfig: hasLimits ? limits : undefined,
  };
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

function parseTimeout(text: string): number {
  try {
    return parseDuration(/^\d+$/.test(text) ? Number(text) : text);
  } catch (cause) {
    throw new UsageError(`--timeout: ${messageOf(cause)}`);
  }
}
