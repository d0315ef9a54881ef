import type { JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isProviderFailure, tokenAlgorithms } from '../../core/auth/jwt.ts';
import type { IdentityProvider, OpenedProvider } from './identity-provider.ts';
import type { TokenClaims } from './to-user-claims.ts';

/** Verifies tokens that the identity provider signed. */
export interface ProviderTokens {
  /** The claims of a token; undefined if it is invalid. Rejects if the keys of the provider cannot be read. */
  readClaims(
    token: string,
    options: Pick<JWTVerifyOptions, 'audience' | 'requiredClaims' | 'typ' | 'maxTokenAge'>,
  ): Promise<TokenClaims | undefined>;
}

type Jose = typeof import('jose');

export function createProviderTokens(provider: IdentityProvider): ProviderTokens {
  let keys: { readonly url: string; readonly get: JWTVerifyGetKey } | undefined;

  function keysOf({ client }: OpenedProvider, jose: Jose): JWTVerifyGetKey {
    const url = client.serverMetadata().jwks_uri;
    if (url === undefined) throw new ToolwharfError('SERVER_UNREACHABLE', 'The identity provider publishes no keys');
    if (keys?.url !== url) {
      const options = { timeoutDuration: 5_000, cooldownDuration: 10_000 };
      keys = { url, get: jose.createRemoteJWKSet(new URL(url), options) };
    }
    return keys.get;
  }

  return {
    async readClaims(token, options) {
      const opened = await provider.open();
      const jose = await import('jose');
      try {
        const { payload } = await jose.jwtVerify(token, keysOf(opened, jose), {
          ...options,
          issuer: opened.settings.issuer,
          algorithms: tokenAlgorithms,
          clockTolerance: 5,
        });
        return payload as TokenClaims;
      } catch (cause) {
        if (!isProviderFailure(cause, jose)) return undefined;
        const message = "Could not fetch the identity provider's keys to verify the token: try again later";
        throw new ToolwharfError('SERVER_UNREACHABLE', message, { cause });
      }
    },
  };
}
