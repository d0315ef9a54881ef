import type { ServerSpec } from '../config/config.ts';
import type { ConnectedTransport } from '../config/transports.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { isSecretName, isSecretValue } from '../kernel/secret-names.ts';
import type { Era } from './status.ts';

/** The protocol era and transport of each server, learned by its last successful handshake. */
export interface ProtocolCache {
  get(key: string): CachedProtocol | undefined;
  set(key: string, protocol: CachedProtocol): void;
  delete(key: string): void;
}

/** The key of a server in the cache. Two servers at one address may be configured for different eras. */
export function toProtocolKey(spec: ServerSpec): string {
  return [spec.name, spec.protocol, toServerAddress(spec)].join(' ');
}

/** The protocol of one server. */
export interface CachedProtocol {
  readonly era: Era;
  readonly transport: ConnectedTransport;
}

/** A cache in memory. */
export function createProtocolCache(): ProtocolCache {
  return new Map<string, CachedProtocol>();
}

/**
 * The address of a server: its URL, or a hash of its command, arguments, directory and environment. Credentials in the
 * environment are not part of it: not even their hash is stored, and a server with a new token keeps its address.
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
