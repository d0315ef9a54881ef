import { z } from 'zod';
import { apiKeyHeader } from './defaults.ts';
import { type OAuthAuthentication, type OAuthGrant, oauthGrants, signatureAlgorithms } from './oauth-config.ts';
import { choice, filledText, header, text } from './schema-parts.ts';
import { isInsecureUrl, urlProblem } from './server-url.ts';

const httpsUrl = text.superRefine((value, context) => {
  const message = urlProblem(value) ?? (isInsecureUrl(value) ? 'must be an https URL' : undefined);
  if (message) context.addIssue({ code: 'custom', message });
});

/** The authentication of an HTTP server; the parameters say how its secrets are written. */
export function createAuthenticationSchema<Secret extends z.ZodType, Password extends z.ZodType>(
  secret: Secret,
  password: Password,
) {
  return z
    .discriminatedUnion(
      'type',
      [
        z.strictObject({ type: z.literal('none') }),
        z.strictObject({ type: z.literal('bearer'), token: secret.describe('The token, preferably ${VAR}.') }),
        z.strictObject({
          type: z.literal('api-key'),
          key: secret.describe('The key, preferably ${VAR}.'),
          header: header.default(apiKeyHeader).describe('The header that carries the key.'),
        }),
        z.strictObject({
          type: z.literal('basic'),
          username: text.refine((name) => !name.includes(':'), 'must not contain a colon').describe('The user name.'),
          password: password.describe('The password, preferably ${VAR}.'),
        }),
        z
          .strictObject({
            type: z.literal('oauth'),
            grant: choice(oauthGrants)
              .optional()
              .describe(
                "authorization-code, the default: a person signs in. client-credentials, jwt-bearer (a workload's token) and enterprise (ID-JAG of a company's identity provider) need no person.",
              ),
            clientId: filledText.optional().describe('If omitted, Toolwharf registers itself with the server.'),
            clientSecret: secret.optional().describe('The client secret, preferably ${VAR}.'),
            scope: text.optional().describe('Scopes to request, separated by spaces.'),
            redirectUrl: httpsUrl
              .optional()
              .describe("Where the browser returns to. Default: Toolwharf's own callback."),
            clientMetadataUrl: httpsUrl.optional().describe('HTTPS URL of a client metadata document.'),
            privateKey: secret
              .optional()
              .describe('The private key of the client in PEM, preferably ${file:/path}, instead of a client secret.'),
            algorithm: choice(signatureAlgorithms)
              .optional()
              .describe('The signature algorithm of the private key; by default the usual one of its type.'),
            issuer: httpsUrl
              .optional()
              .describe(
                'The authorization server that may receive the credentials. Default: the first one that the server names.',
              ),
            assertion: secret
              .optional()
              .describe(
                "The workload's token for the grant jwt-bearer, preferably ${file:/path}: read for each request.",
              ),
            identityProvider: httpsUrl.optional().describe("The issuer of the company's identity provider."),
            identityProviderClientId: filledText.optional().describe("Toolwharf's client at the identity provider."),
            identityProviderTokenUrl: httpsUrl
              .optional()
              .describe('Its token endpoint. Default: the one that it publishes.'),
            identityProviderClientSecret: secret.optional().describe('Its secret there, preferably ${VAR}.'),
            idToken: secret
              .optional()
              .describe('The ID token to exchange, preferably ${file:/path}: read for each request.'),
          })
          .superRefine((oauth, context) => {
            for (const { key, message } of grantConflicts(oauth as Partial<OAuthAuthentication>))
              context.addIssue({ code: 'custom', path: [key], message });
          }),
      ],
      { error: (issue) => (issue.code === 'invalid_union' ? 'unknown value' : 'must be a map with a type') },
    )
    .describe('How to authenticate to the server.');
}

type GrantKey = Exclude<keyof OAuthAuthentication, 'type' | 'grant' | 'scope'>;

const idpKeys = [
  'identityProvider',
  'identityProviderTokenUrl',
  'identityProviderClientId',
  'identityProviderClientSecret',
  'idToken',
] as const;
const clientKeys = ['clientId', 'clientSecret', 'privateKey', 'algorithm', 'issuer'] as const;

/** The keys of each grant, and those it requires; alternatives are in one list. */
const keysOf: Readonly<
  Record<OAuthGrant, { readonly known: readonly GrantKey[]; readonly required: readonly (readonly GrantKey[])[] }>
> = {
  'authorization-code': { known: ['clientId', 'clientSecret', 'redirectUrl', 'clientMetadataUrl'], required: [] },
  'client-credentials': { known: clientKeys, required: [['clientId'], ['clientSecret', 'privateKey']] },
  'jwt-bearer': { known: [...clientKeys, 'assertion'], required: [['clientId'], ['assertion']] },
  enterprise: {
    known: [...clientKeys, ...idpKeys],
    required: [
      ['clientId'],
      ['clientSecret', 'privateKey'],
      ['identityProvider'],
      ['identityProviderClientId'],
      ['idToken'],
    ],
  },
};

/** The grants that use a key of OAuth; undefined for a key that all authentication of its type uses. */
export function grantsWith(key: string): readonly OAuthGrant[] | undefined {
  const grants = oauthGrants.filter((grant) => (keysOf[grant].known as readonly string[]).includes(key));
  return grants.length > 0 ? grants : undefined;
}

function grantConflicts(
  oauth: Partial<OAuthAuthentication>,
): { readonly key: GrantKey | 'grant'; readonly message: string }[] {
  const { grant = 'authorization-code' } = oauth;
  const { known, required } = keysOf[grant];
  const isSet = (key: GrantKey) => oauth[key] !== undefined;
  const given = Object.keys(oauth).filter((key) => key !== 'type' && key !== 'grant' && key !== 'scope') as GrantKey[];
  const useless = given.filter((key) => isSet(key) && !known.includes(key));
  const missing = required.filter((keys) => !keys.some(isSet));
  const conflicts: { key: GrantKey | 'grant'; message: string }[] = [
    ...useless.map((key) => ({
      key,
      message: `has no effect with the grant ${grant}: remove it, or set another grant`,
    })),
    ...missing.map((keys) => ({
      key: keys[0] as GrantKey,
      message: `the grant ${grant} requires ${keys.join(' or ')}`,
    })),
  ];
  if (isSet('clientSecret') && isSet('privateKey'))
    conflicts.push({ key: 'privateKey', message: 'use either clientSecret or privateKey, not both' });
  if (isSet('algorithm') && !isSet('privateKey') && known.includes('algorithm'))
    conflicts.push({ key: 'algorithm', message: 'has no effect without privateKey' });
  return conflicts;
}

/** Configured authentication. Secrets may be `${VAR}` or `${file:/path}`. */
export const authenticationSchema = createAuthenticationSchema(filledText, text);
