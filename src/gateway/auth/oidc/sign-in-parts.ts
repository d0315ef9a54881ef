import { createHmac } from 'node:crypto';
import type { GatewayConfig } from '../../../config/gateway-config.ts';
import type { Environment } from '../../../config/references.ts';
import { createSealer, type Sealer } from '../../../storage/sealer.ts';
import { createIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { createProtectedResource, type ProtectedResource } from './protected-resource.ts';
import { createPublicUrl, type PublicUrl } from './public-url.ts';

/** The parts that sign-ins of people and access tokens of their clients use. */
export interface SignInParts {
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
}

export function createSignInParts({ settings, host, env, sessionKey }: SignInPartsOptions): SignInParts {
  const publicUrl = createPublicUrl({ settings, host });
  return {
    provider: createIdentityProvider({ settings: () => settings().oidc, env }),
    publicUrl,
    resource: createProtectedResource({ settings, publicUrl }),
    sealer: createSealer(createHmac('sha256', sessionKey).update('toolwharf sign-in').digest()),
  };
}
