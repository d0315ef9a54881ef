import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { oidcDefaults } from './defaults.ts';
import { choice, filledText, list, profileName } from './schema-parts.ts';

const groups = lazy(() => list(filledText));

const scope = lazy(() => filledText.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope, without spaces'));

const rolesSchema = lazy(() =>
  z.record(z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'must be the name of a role'), groups(), {
    error: 'must be a map',
  }),
);

const tokenScopesSchema = lazy(() =>
  z.strictObject(
    {
      read: scope()
        .optional()
        .describe('The scope that grants the right read.')
        .meta({ default: oidcDefaults.tokenScopes.read }),
      call: scope()
        .optional()
        .describe('The scope that grants the right call.')
        .meta({ default: oidcDefaults.tokenScopes.call }),
      admin: scope()
        .optional()
        .describe('The scope that grants administrators the right admin.')
        .meta({ default: oidcDefaults.tokenScopes.admin }),
    },
    { error: 'must be a map' },
  ),
);

/** Sign-in through an identity provider. */
export const oidcSchema = lazy(() =>
  z.strictObject(
    {
      issuer: filledText.describe('The issuer URL of the identity provider; https unless it is on this machine.'),
      clientId: filledText.describe('The id under which the gateway is registered at the provider.'),
      clientSecret: filledText
        .optional()
        .describe('The secret of the registration; preferably ${VAR} or ${file:…}. Leave it out for a public client.'),
      clientAuthentication: choice(['basic', 'post'])
        .optional()
        .describe('How the secret is sent: in the Authorization header (basic) or in the body (post).')
        .meta({ default: oidcDefaults.clientAuthentication }),
      name: filledText
        .max(60)
        .optional()
        .describe('The name of the provider on the sign-in button. Default: its host name.'),
      scopes: list(scope())
        .refine((scopes) => scopes.includes('openid'), "must contain 'openid'")
        .optional()
        .describe('The scopes that a sign-in requests. Default: openid, profile and email.'),
      groupsClaim: filledText
        .optional()
        .describe(
          'The claim that contains the groups of a person; a dot separates levels. With email, each address is a group.',
        )
        .meta({ default: oidcDefaults.groupsClaim }),
      roles: rolesSchema()
        .optional()
        .describe(
          'The groups of each role: admin, approver, member, or a role of your own. A person has all roles of their groups.',
        ),
      defaultRole: filledText
        .refine((role) => role !== 'admin', 'cannot be admin: name the groups of administrators')
        .optional()
        .describe(
          'The role of people without such a group: member, approver, one of your own, or none, which denies access.',
        )
        .meta({ default: oidcDefaults.defaultRole }),
      profiles: z
        .record(profileName, groups(), { error: 'must be a map' })
        .optional()
        .describe(
          'The groups of each profile, for people who may not use every profile. The first profile with one of their groups counts. Default: the profile default.',
        ),
      tokenScopes: tokenScopesSchema()
        .optional()
        .describe('The scopes in access tokens with which MCP clients call the gateway for a person.'),
    },
    { error: 'must be a map' },
  ),
);
