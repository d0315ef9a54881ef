import type { Configuration } from 'openid-client';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import type { OidcConfig } from '../../../contract/settings/oidc-config.ts';
import { type Environment, resolveReference } from '../../../toolwharf/config/references.ts';

/** The client library, which is loaded with the first sign-in or token. */
export type OidcLibrary = typeof import('openid-client');

/** A provider whose endpoints and keys are known. */
export interface OpenedProvider {
  readonly library: OidcLibrary;
  readonly client: Configuration;
  readonly settings: OidcConfig;
}

/** The configured identity provider. */
export interface IdentityProvider {
  /** Undefined if no provider is configured. */
  settings(): OidcConfig | undefined;
  /** Reads the provider's metadata, once per hour. Rejects with `SERVER_UNREACHABLE` if the provider does not answer. */
  open(): Promise<OpenedProvider>;
}

export interface IdentityProviderOptions {
  readonly settings: () => OidcConfig | undefined;
  /** Resolves the reference to the client secret. */
  readonly env: Environment;
}

/** How long metadata is used. */
const maxAgeMs = 3_600_000;

export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { settings, env } = options;
  let opened:
    | { readonly settings: OidcConfig; readonly at: number; readonly provider: Promise<OpenedProvider> }
    | undefined;

  async function discover(current: OidcConfig): Promise<OpenedProvider> {
    const library = await import('openid-client');
    const issuer = new URL(current.issuer);
    try {
      const client = await library.discovery(issuer, current.clientId, undefined, toClientAuth(library, current, env), {
        // Configurations with plain http to another machine are rejected.
        execute: [
          library.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [library.allowInsecureRequests] : []),
        ],
        timeout: 10,
      });
      return { library, client, settings: current };
    } catch (cause) {
      const message = `The identity provider ${issuer.host} could not be used: ${messageOf(cause)}`;
      throw new ToolwharfError('SERVER_UNREACHABLE', message, { cause });
    }
  }

  return {
    settings,
    open() {
      const current = settings();
      if (!current) throw new ToolwharfError('NOT_FOUND', 'No identity provider is configured');
      if (opened?.settings === current && performance.now() - opened.at < maxAgeMs) return opened.provider;
      const provider = discover(current);
      const mine = { settings: current, at: performance.now(), provider };
      opened = mine;
      // The next request tries again.
      provider.catch(() => {
        if (opened === mine) opened = undefined;
      });
      return provider;
    },
  };
}

function toClientAuth(library: OidcLibrary, { clientSecret, clientAuthentication }: OidcConfig, env: Environment) {
  if (clientSecret === undefined) return library.None();
  const secret = resolveReference(clientSecret, env);
  if (secret === '')
    throw new ToolwharfError(
      'CONFIG_INVALID',
      'gateway.oidc.clientSecret is empty: check the variable or file it is read from',
    );
  return clientAuthentication === 'post' ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret);
}
