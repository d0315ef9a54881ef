import { createHmac } from 'node:crypto';
import type { GatewayConfig } from '../../../contract/settings/gateway-config.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import type { UserStore } from '../../../toolwharf/storage/ports/user-store.ts';
import { createSealer, type Sealer } from '../../../toolwharf/storage/sealer.ts';
import type { SignIn } from '../../core/auth/sign-in.ts';
import { createAccessTokens } from './access-tokens.ts';
import { createIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { createProtectedResource, type ProtectedResource } from './protected-resource.ts';
import { createPublicUrl, type PublicUrl } from './public-url.ts';

/** The parts that sign-ins of people and access tokens of their clients use. */
export interface SignInParts extends SignIn {
  readonly provider: IdentityProvider;
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
}

export function createSignInParts({ settings, host, env, sessionKey, users }: SignInPartsOptions): SignInParts {
  const publicUrl = createPublicUrl({ settings, host });
  const provider = createIdentityProvider({ settings: () => settings().oidc, env });
  return {
    provider,
    accessTokens: createAccessTokens({ provider, publicUrl, users }),
    publicUrl,
    resource: createProtectedResource({ settings, publicUrl }),
    sealer: createSealer(createHmac('sha256', sessionKey).update('toolwharf sign-in').digest()),
  };
}
