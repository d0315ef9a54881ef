import type { GatewayConfig } from '../../config/config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { KeyStore } from '../../storage/ports/key-store.ts';
import { isLoopback } from './loopback.ts';

export interface WaysIn {
  readonly settings: Pick<GatewayConfig, 'jwt'>;
  readonly keys: Pick<KeyStore, 'list'>;
  readonly adminToken?: string;
}

/** Rejects for an address that other machines reach while there is no way to prove who one is. */
export async function assertSafeToListen(host: string, { settings, keys, adminToken }: WaysIn): Promise<void> {
  if (isLoopback(host) || settings.jwt || adminToken !== undefined) return;
  if ((await keys.list()).some((key) => key.revokedAt === undefined)) return;
  const message = `The gateway does not listen on ${host}, which other machines can reach, without a way to authenticate: create an API key, configure gateway.jwt, or listen on 127.0.0.1`;
  throw new ToolwharfError('CONFIG_INVALID', message, { data: { host } });
}
