import { createHmac } from 'node:crypto';
import type { GatewayConfig } from '../../../contract/settings/gateway-config.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import type { UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import { createSealer, type Sealer } from '../../../toolwharf/storage/sealer.ts';
import type { SignIn } from '../../core/auth/sign-in.ts';
import type { RoleStore } from '../../core/auth/users.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { createProtectedResource, type ProtectedResource } from './protected-resource.ts';
import { createProviderTokens, type ProviderTokens } from './provider-tokens.ts';
import { createPublicUrl, type PublicUrl } from './public-url.ts';

/** The parts that sign-ins of people and access tokens of their clients use. */
export interface SignInParts extends SignIn {
  readonly provider: IdentityProvider;
  readonly tokens: ProviderTokens;
  readonly publicUrl: PublicUrl;
  readonly resource: ProtectedResource;
  /** Seals what browsers keep. The same on every replica. */
  readonly sealer: Sealer;
}

export interface SignInPartsOptions {
  readonly settings: () => GatewayConfig;
  /** The listen address. */
  readonly host: string;
  readonly env: Environment;
  readonly sessionKey: Buffer;
  readonly users: UserStore;
  readonly roles: RoleStore;
}

export function createSignInParts({ settings, host, env, sessionKey, users, roles }: SignInPartsOptions): SignInParts {
  const publicUrl = createPublicUrl({ settings, host });
  const provider = createIdentityProvider({ settings: () => settings().oidc, env });
  const tokens = createProviderTokens(provider);
  return {
    provider,
    tokens,
    accessTokens: createAccessTokens({ provider, tokens, publicUrl, users, roles }),
    publicUrl,
    resource: createProtectedResource({ settings, publicUrl }),
    sealer: createSealer(createHmac('sha256', sessionKey).update('toolwharf sign-in').digest()),
  };
}
