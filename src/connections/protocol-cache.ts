import type { ServerSpec } from '../config/config.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { isSecretName, isSecretValue } from '../kernel/secret-names.ts';
import type { Era } from './status.ts';

/** What the last good session with a server taught us, so that the next one need not ask again. */
export interface ProtocolCache {
  get(address: string): CachedProtocol | undefined;
  set(address: string, session: CachedProtocol): void;
  delete(address: string): void;
}

export interface CachedProtocol {
  readonly era: Era;
  readonly transport: 'stdio' | 'http' | 'sse' | 'api';
}

export function createProtocolCache(): ProtocolCache {
  return new Map<string, CachedProtocol>();
}

/**
 * Where a server is: its URL, or a hash of what is started and with which environment. Equal for equal servers. An environment's
 * credentials have no part in it: not even their hash is kept, and a new token makes no new server.
 */
export function toServerAddress(spec: ServerSpec): string {
  const { target } = spec;
  if (target.transport !== 'stdio') return target.transport === 'api' ? `api:${target.url}` : target.url;
  const { command, args, cwd = null, env } = target;
  return `stdio:${hashOf([command, args, cwd, withoutSecrets(env)])}`;
}

function withoutSecrets(env: Readonly<Record<string, string>>): Record<string, string | null> {
  const isSecret = (name: string, value: string) => isSecretName(name) || isSecretValue(value);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, isSecret(name, value) ? null : value]));
}
