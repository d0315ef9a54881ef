import type { Era } from '../../contract/connections.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import { isSecretName, isSecretValue } from '../../contract/secret-names.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import type { ConnectedTransport } from '../../contract/settings/transports.ts';
import { hashOf } from '../kernel/canonical-json.ts';

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
export function toServerAddress({ target }: ServerSpec): string {
  const known = addresses.get(target);
  if (known !== undefined) return known;
  const address = addressOf(target);
  addresses.set(target, address);
  return address;
}

// Every call compares addresses. Targets are never changed in place.
const addresses = new WeakMap<ServerSpec['target'], string>();

function addressOf(target: ServerSpec['target']): string {
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
