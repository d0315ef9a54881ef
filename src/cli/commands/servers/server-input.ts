import { parseDuration } from '../../../config/durations.ts';
import { resolveReference } from '../../../config/references.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { UsageError } from '../../usage-error.ts';

/** What the command line says about a server. */
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
  readonly rate?: string;
  readonly maxInstances?: string;
  readonly toolTimeout?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The same as a body of the REST API. A value that is `${VAR}` or `${file:…}`, whole, is replaced here:
 * a secret need not stand on the command line.
 */
export function toServerInput(options: ServerOptions, args: readonly string[], env: Environment): JsonObject {
  if (options.url !== undefined && options.command !== undefined) {
    throw new UsageError('A server has either --url or --command');
  }
  const resolve = (option: string, value: string) => resolveOption(option, value, env);
  const authentication = authenticationOf(options, resolve);
  return {
    ...(options.url !== undefined && { url: resolve('--url', options.url), transport: transportOf(options) }),
    ...(options.openapi !== undefined && { openapi: resolve('--openapi', options.openapi) }),
    ...(options.command !== undefined && { command: options.command, transport: 'stdio' }),
    ...(options.url === undefined &&
      options.command === undefined &&
      options.transport && { transport: options.transport }),
    ...(args.length > 0 && { args: args.map((arg) => resolve('an argument', arg)) }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.env && { env: pairs('--env', options.env, '=', resolve) }),
    ...(options.header && { headers: pairs('--header', options.header, ':', resolve) }),
    ...(authentication && { authentication }),
    ...(options.allowInsecure && { allowInsecure: true }),
    ...(options.description !== undefined && { description: options.description }),
    ...(options.timeout !== undefined && { timeout: duration(options.timeout) }),
    ...(options.retryAttempts !== undefined && { retryAttempts: Number(options.retryAttempts) }),
    ...(options.disabled && { enabled: false }),
    ...policyOf(options),
  };
}

/** The settings that limit what a server's tools may do; the gateway checks their values. */
function policyOf(options: ServerOptions): JsonObject {
  const { required, trusted, protocol, mode, onChange, allow, deny, prompt, maxInstances, toolTimeout } = options;
  const [calls = '', per = ''] = options.rate?.split('/') ?? [];
  const hasLimits = maxInstances !== undefined || toolTimeout !== undefined;
  const limits = { maxInstances: maxInstances === undefined ? undefined : Number(maxInstances), timeout: toolTimeout };
  const settings = {
    required,
    trusted,
    protocol,
    mode,
    onChange,
    allow,
    deny,
    prompts: prompt,
    rate: options.rate === undefined ? undefined : { calls: Number(calls), per },
    defaultToolConfig: hasLimits ? limits : undefined,
  };
  // An edit merges over the stored record: what was not named must not overwrite it.
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** How an address is spoken to. */
function transportOf({ transport, openapi }: ServerOptions): string {
  return transport ?? (openapi === undefined ? 'auto' : 'api');
}

type Resolve = (option: string, value: string) => string;

function authenticationOf(options: ServerOptions, resolve: Resolve): JsonObject | undefined {
  const given = (['bearer', 'apiKey', 'basic', 'oauth'] as const).filter((key) => options[key] !== undefined);
  if (given.length > 1) throw new UsageError('A server has one of --bearer, --api-key, --basic and --oauth');
  if (options.bearer !== undefined) return { type: 'bearer', token: resolve('--bearer', options.bearer) };
  if (options.apiKey !== undefined) {
    const header = options.apiKeyHeader;
    return { type: 'api-key', key: resolve('--api-key', options.apiKey), ...(header !== undefined && { header }) };
  }
  if (options.basic !== undefined) {
    const [username = '', ...rest] = options.basic.split(':');
    if (rest.length === 0) throw new UsageError('--basic takes user:password');
    return { type: 'basic', username, password: resolve('--basic', rest.join(':')) };
  }
  return options.oauth ? { type: 'oauth' } : undefined;
}

/** `name=value` options as a map, each value resolved. */
export function pairs(
  option: string,
  given: readonly string[],
  separator: string,
  resolve: Resolve,
): Record<string, string> {
  const entries = given.map((pair) => {
    const at = pair.indexOf(separator);
    if (at < 1) throw new UsageError(`${option} takes name${separator}value, got '${pair.slice(0, 40)}'`);
    return [pair.slice(0, at).trim(), resolve(option, pair.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(entries);
}

/** The value of an option, or what it refers to. */
export function resolveOption(option: string, value: string, env: Environment): string {
  try {
    return resolveReference(value, env, (variable) => {
      throw new UsageError(`${option}: the environment variable ${variable} is not set`);
    });
  } catch (cause) {
    throw cause instanceof UsageError ? cause : new UsageError(`${option}: ${messageOf(cause)}`);
  }
}

function duration(text: string): number {
  try {
    return parseDuration(/^\d+$/.test(text) ? Number(text) : text);
  } catch (cause) {
    throw new UsageError(`--timeout: ${messageOf(cause)}`);
  }
}
