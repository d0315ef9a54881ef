import { parseReference } from '../../config/references.ts';
import { type CheckedServerRecord, newServerRecordSchema, type ServerRecord } from '../../config/server-record.ts';
import { withoutSecrets } from '../../config/server-url.ts';
import { isObject } from '../../kernel/json.ts';
import { isSecretName, isSecretValue } from '../../kernel/secret-names.ts';
import { type RequestProblem, requestError, toProblems } from './request-problems.ts';
import type { Mask, ServerInput, ServerRecordView } from './schemas/servers.ts';

const mask: Mask = { set: true };

/** A record for showing: every value that may be a secret is a mask. */
export function toRecordView(stored: ServerRecord): ServerRecordView {
  const { env, headers, args, url, openapi, authentication, ...record } = stored;
  return {
    ...record,
    ...(args && { args: args.map((arg, at) => (mayBeSecret(arg, args[at - 1]) ? mask : arg)) }),
    ...(env && { env: masked(env) }),
    ...(url !== undefined && { url: withoutSecrets(url) }),
    ...(openapi !== undefined && { openapi: withoutSecrets(openapi) }),
    ...(headers && { headers: masked(headers) }),
    authentication: maskAuthentication(authentication),
  };
}

/**
 * The record that was sent, checked. A mask stands for what is stored, as long as it would go where it was meant for; anything
 * wrong is one `REQUEST_INVALID` with every problem.
 */
export function readServerInput(input: ServerInput, stored?: ServerRecord): CheckedServerRecord {
  const problems: RequestProblem[] = [];
  const filled = unmask(input, stored, problems);
  const checked = newServerRecordSchema.safeParse(filled);
  problems.push(...toProblems('body', checked.error, filled), ...references(input, ['body']));
  if (problems.length > 0 || !checked.success) throw requestError(problems);
  return checked.data;
}

function unmask(input: ServerInput, stored: ServerRecord | undefined, problems: RequestProblem[]): unknown {
  const url = keptAddress(input.url, stored?.url);
  const openapi = keptAddress(input.openapi, stored?.openapi);
  const args = input.args?.map((arg, at) => take(arg, stored?.args?.[at], `args.${at}`));
  const target = {
    ...input,
    ...(url !== undefined && { url }),
    ...(openapi !== undefined && { openapi }),
    ...(args && { args }),
  };
  const keeps = stored !== undefined && isSameTarget(stored, target);
  const isElsewhere = (path: string) =>
    problems.push({ path: `body.${path}`, message: 'must be sent again: the server is another one now' });
  input.args?.forEach((arg, at) => {
    if (isMask(arg) && stored?.args?.[at] !== undefined && !keeps) isElsewhere(`args.${at}`);
  });

  function take(value: string | Mask, kept: string | undefined, path: string): string {
    if (typeof value === 'string') return value;
    if (kept === undefined) problems.push({ path: `body.${path}`, message: 'is masked, but nothing is stored for it' });
    return kept ?? '';
  }

  /** Sent anywhere else, a stored secret would be given away. */
  function takeSecret(value: string | Mask, kept: string | undefined, path: string): string {
    if (typeof value === 'string' || keeps || kept === undefined) return take(value, kept, path);
    isElsewhere(path);
    return kept;
  }

  function takeAll(values: Readonly<Record<string, string | Mask>> | undefined, part: 'env' | 'headers') {
    const kept = stored?.[part] ?? {};
    const entries = Object.entries(values ?? {}).map(([name, value]) => {
      return [name, takeSecret(value, Object.hasOwn(kept, name) ? kept[name] : undefined, `${part}.${name}`)] as const;
    });
    return values && { [part]: Object.fromEntries(entries) };
  }

  function takeAuthentication(authentication: NonNullable<ServerInput['authentication']>) {
    const kept: Readonly<Record<string, unknown>> = { ...stored?.authentication };
    const entries = Object.entries(authentication).map(([name, value]) => {
      if (!isMask(value)) return [name, value] as const;
      const own = kept.type === authentication.type ? kept[name] : undefined;
      return [name, takeSecret(value, typeof own === 'string' ? own : undefined, `authentication.${name}`)] as const;
    });
    return { authentication: Object.fromEntries(entries) };
  }

  return {
    ...target,
    ...takeAll(input.env, 'env'),
    ...takeAll(input.headers, 'headers'),
    ...(input.authentication && takeAuthentication(input.authentication)),
  };
}

/** An address that was sent as it was shown, without its query, is the stored one. */
function keptAddress(sent: string | undefined, stored: string | undefined): string | undefined {
  return stored !== undefined && sent === withoutSecrets(stored) ? stored : sent;
}

/** Whether a server is still the one its secrets were given for: same address, or same program. */
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

/** Where `${VAR}` or `${file:…}` stands. Resolved, it would hand out the gateway's environment and files to whoever may add a server. */
function references(value: unknown, path: readonly string[]): RequestProblem[] {
  if (typeof value === 'string') {
    const message = 'references such as ${VAR} and ${file:/path} are for the configuration file: send the value itself';
    return parseReference(value) ? [{ path: path.join('.'), message }] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => references(item, [...path, String(at)]));
  return isObject(value) ? Object.entries(value).flatMap(([key, member]) => references(member, [...path, key])) : [];
}

function masked(values: Readonly<Record<string, string>>): Record<string, Mask> {
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
      const { clientSecret, ...shown } = authentication;
      return { ...shown, ...(clientSecret !== undefined && { clientSecret: mask }) };
    }
  }
}

/** An argument that has the name of a secret before it, or the looks of one. */
function mayBeSecret(arg: string, before = ''): boolean {
  const [flag = ''] = arg.split('=');
  if (arg.includes('=') && isSecretName(flag)) return true;
  return (before.startsWith('-') && !before.includes('=') && isSecretName(before)) || isSecretValue(arg);
}

function isMask(value: unknown): value is Mask {
  return isObject(value) && value.set === true;
}
