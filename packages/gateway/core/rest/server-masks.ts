import type { Mask, ServerInput, ServerRecordView } from '../../../contract/api/servers.ts';
import { isObject } from '../../../contract/json.ts';
import { isSecretName, isSecretValue } from '../../../contract/secret-names.ts';
import { withoutSecrets } from '../../../contract/settings/server-url.ts';
import { isProgramScheme, parseReference, parseSecretReference } from '../../../toolwharf/config/references.ts';
import {
  type CheckedServerRecord,
  newServerRecordSchema,
  type ServerRecord,
} from '../../../toolwharf/config/server-record.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';

const mask: Mask = { set: true };

/** A stored server with every possible secret replaced by a mask. */
export function toRecordView(stored: ServerRecord): ServerRecordView {
  const { env, headers, args, url, openapi, authentication, review: _review, ...record } = stored;
  return {
    ...record,
    args: args?.map((arg, index) => (mayBeSecret(arg, args[index - 1]) ? mask : arg)),
    env: env && maskValues(env),
    url: url === undefined ? undefined : withoutSecrets(url),
    openapi: openapi === undefined ? undefined : withoutSecrets(openapi),
    headers: headers && maskValues(headers),
    authentication: maskAuthentication(authentication),
  };
}

/**
 * Validates a server. A mask is replaced by the stored secret if the server's address or command is unchanged. All problems are
 * reported in one `REQUEST_INVALID`.
 */
export function readServerInput(input: ServerInput, stored?: ServerRecord): CheckedServerRecord {
  const problems: RequestProblem[] = [];
  const unmasked = unmask(input, stored, problems);
  const checked = newServerRecordSchema.safeParse(unmasked);
  for (const problem of [...toProblems('body', checked.error, unmasked), ...findReferences(input, ['body'])])
    problems.push(problem);
  if (problems.length > 0 || !checked.success) throw requestError(problems);
  return checked.data;
}

function unmask(input: ServerInput, stored: ServerRecord | undefined, problems: RequestProblem[]): unknown {
  const url = restoreUrl(input.url, stored?.url);
  const openapi = restoreUrl(input.openapi, stored?.openapi);
  const args = input.args?.map((arg, index) => resolve(arg, stored?.args?.[index], `args.${index}`));
  const target = { ...input, url, openapi, args };
  const isUnchanged = stored !== undefined && isSameTarget(stored, target);
  const reportChanged = (path: string) =>
    problems.push({ path: `body.${path}`, message: 'must be sent again, because the address or command changed' });
  input.args?.forEach((arg, index) => {
    if (isMask(arg) && stored?.args?.[index] !== undefined && !isUnchanged) reportChanged(`args.${index}`);
  });

  function resolve(value: string | Mask, storedValue: string | undefined, path: string): string {
    if (typeof value === 'string') return value;
    if (storedValue === undefined)
      problems.push({ path: `body.${path}`, message: 'is masked, but no stored value exists' });
    return storedValue ?? '';
  }

  /** A stored secret must not be sent to another address or command. */
  function resolveSecret(value: string | Mask, storedValue: string | undefined, path: string): string {
    if (typeof value === 'string' || isUnchanged || storedValue === undefined) return resolve(value, storedValue, path);
    reportChanged(path);
    return storedValue;
  }

  function resolveAll(part: 'env' | 'headers') {
    const values = input[part];
    const storedValues = new Map(Object.entries(stored?.[part] ?? {}));
    const entries = Object.entries(values ?? {}).map(
      ([name, value]) => [name, resolveSecret(value, storedValues.get(name), `${part}.${name}`)] as const,
    );
    return values && Object.fromEntries(entries);
  }

  function resolveAuthentication(authentication: NonNullable<ServerInput['authentication']>) {
    const before: Readonly<Record<string, unknown>> = { ...stored?.authentication };
    const entries = Object.entries(authentication).map(([name, value]) => {
      if (!isMask(value)) return [name, value] as const;
      const own = before.type === authentication.type ? before[name] : undefined;
      return [name, resolveSecret(value, typeof own === 'string' ? own : undefined, `authentication.${name}`)] as const;
    });
    return Object.fromEntries(entries);
  }

  return {
    ...target,
    env: resolveAll('env'),
    headers: resolveAll('headers'),
    authentication: input.authentication && resolveAuthentication(input.authentication),
  };
}

/** A URL that equals the displayed one, without its query, stands for the stored URL. */
function restoreUrl(sent: string | undefined, stored: string | undefined): string | undefined {
  return stored !== undefined && sent === withoutSecrets(stored) ? stored : sent;
}

/** Whether secrets may be kept: the origin of the URL, or the command with its arguments, is unchanged. */
function isSameTarget(
  stored: ServerRecord,
  target: Pick<ServerInput, 'transport' | 'url' | 'command' | 'cwd' | 'args'>,
): boolean {
  if (stored.transport === 'stdio' || target.transport === 'stdio') {
    const program = ({
      transport,
      command,
      cwd,
      args = [],
    }: Pick<ServerInput, 'transport' | 'command' | 'cwd' | 'args'>) =>
      JSON.stringify([transport, command, cwd ?? null, args]);
    return program(stored) === program(target);
  }
  const origin = URL.parse(target.url ?? '')?.origin;
  return origin !== undefined && origin === URL.parse(stored.url ?? '')?.origin;
}

/** Finds `${VAR}` and `${file:…}`. Resolving them would expose the gateway's environment and files to callers. */
function findReferences(value: unknown, path: readonly string[]): RequestProblem[] {
  if (typeof value === 'string') {
    const message =
      'must be the value itself: references such as ${VAR}, ${file:/path}, ${command:…} and ${keychain:…} work in the configuration file only';
    const isReference = parseReference(value) ?? isProgramScheme(parseSecretReference(value)?.scheme);
    return isReference ? [{ path: path.join('.'), message }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => findReferences(item, [...path, String(index)]));
  return isObject(value)
    ? Object.entries(value).flatMap(([key, member]) => findReferences(member, [...path, key]))
    : [];
}

function maskValues(values: Readonly<Record<string, string>>): Record<string, Mask> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, mask]));
}

function maskAuthentication(authentication: ServerRecord['authentication']): ServerRecordView['authentication'] {
  switch (authentication.type) {
    case 'none':
      return authentication;
    case 'bearer':
      return { type: 'bearer', token: mask };
    case 'api-key':
      return { type: 'api-key', key: mask, header: authentication.header };
    case 'basic':
      return { type: 'basic', username: authentication.username, password: mask };
    case 'oauth': {
      const { clientSecret, privateKey, assertion, identityProviderClientSecret, idToken, ...shown } = authentication;
      const secrets = { clientSecret, privateKey, assertion, identityProviderClientSecret, idToken };
      const masked = Object.entries(secrets).filter(([, secret]) => secret !== undefined);
      return { ...shown, ...Object.fromEntries(masked.map(([name]) => [name, mask])) };
    }
  }
}

/** True for an argument that follows or contains a secret's name, or looks like a secret. */
function mayBeSecret(arg: string, before = ''): boolean {
  const [flag = ''] = arg.split('=');
  if (arg.includes('=') && isSecretName(flag)) return true;
  return (before.startsWith('-') && !before.includes('=') && isSecretName(before)) || isSecretValue(arg);
}

function isMask(value: unknown): value is Mask {
  return isObject(value) && value.set === true;
}
