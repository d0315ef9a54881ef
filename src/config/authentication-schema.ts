import { z } from 'zod';
import { apiKeyHeader } from './defaults.ts';
import { filledText, header, text } from './schema-parts.ts';
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
        z.strictObject({
          type: z.literal('oauth'),
          clientId: filledText.optional().describe('If omitted, Toolwharf registers itself with the server.'),
          clientSecret: secret.optional().describe('The client secret, preferably ${VAR}.'),
          scope: text.optional().describe('Scopes to request, separated by spaces.'),
          redirectUrl: httpsUrl.optional().describe("Where the browser returns to. Default: Toolwharf's own callback."),
          clientMetadataUrl: httpsUrl.optional().describe('HTTPS URL of a client metadata document.'),
        }),
      ],
      { error: (issue) => (issue.code === 'invalid_union' ? 'unknown value' : 'must be a map with a type') },
    )
    .describe('How to authenticate to the server.');
}

/** Configured authentication. Secrets may be `${VAR}` or `${file:/path}`. */
export const authenticationSchema = createAuthenticationSchema(filledText, text);
