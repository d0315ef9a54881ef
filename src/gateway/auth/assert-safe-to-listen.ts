import type { GatewayConfig } from '../../config/gateway-config.ts';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { KeyStore } from '../../storage/ports/key-store.ts';
import { isLoopback } from './loopback.ts';

export interface AuthenticationMethods {
  readonly settings: Pick<GatewayConfig, 'jwt' | 'oidc'>;
  readonly keys: Pick<KeyStore, 'list'>;
  readonly adminToken?: string;
}

/** Rejects if other machines can reach `host` and no authentication method is configured. */
export async function assertSafeToListen(
  host: string,
  { settings, keys, adminToken }: AuthenticationMethods,
): Promise<void> {
  if (isLoopback(host) || settings.jwt || settings.oidc || adminToken !== undefined) return;
  if ((await keys.list()).some((key) => key.revokedAt === undefined)) return;
  const message = `The gateway refuses to listen on ${host} without authentication, because other machines can reach it: create an API key, configure gateway.oidc or gateway.jwt, or listen on 127.0.0.1`;
  throw new ToolwharfError('CONFIG_INVALID', message, { data: { host } });
}
