import type { ServerSpec } from '../config/config.ts';
import type { ConnectedTransport } from '../config/transports.ts';
import { hashOf } from '../kernel/canonical-json.ts';
import { isObject, type JsonObject } from '../kernel/json.ts';
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
 * The address of a server: its URL, or a hash of its command, arguments, directory and environment, or of a plugin's transport
 * and its options. Credentials in the environment and in options are not part of it: not even their hash is stored, and a server with a new token keeps its address.
 */
export function toServerAddress(spec: ServerSpec): string {
  const { target } = spec;
  if (target.transport === 'plugin') return `plugin:${hashOf([target.name, withoutSecrets(target.options)])}`;
  if (target.transport !== 'stdio') return target.transport === 'api' ? `api:${target.url}` : target.url;
  const { command, args, cwd = null, env } = target;
  return `stdio:${hashOf([command, args, cwd, withoutSecrets(env)])}`;
}

function withoutSecrets(env: JsonObject): Record<string, unknown> {
  const isSecret = (name: string, value: unknown) =>
    isSecretName(name) || (typeof value === 'string' && isSecretValue(value));
  const withoutOwn = (value: unknown) => (isObject(value) ? withoutSecrets(value) : value);
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, isSecret(name, value) ? null : withoutOwn(value)]),
  );
}
