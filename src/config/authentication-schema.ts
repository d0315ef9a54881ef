import { z } from 'zod';
import { filledText, header, text } from './schema-parts.ts';
import { isInsecureUrl, urlProblem } from './server-url.ts';

const url = text.superRefine((value, context) => {
  const message = urlProblem(value) ?? (isInsecureUrl(value) ? 'must be an https URL' : undefined);
  if (message) context.addIssue({ code: 'custom', message });
});

/** How to authenticate to an HTTP server. Secrets may be `${VAR}` or `${file:/path}`. */
export const authenticationSchema = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('none') }),
      z.strictObject({ type: z.literal('bearer'), token: filledText.describe('The token, better as ${VAR}.') }),
      z.strictObject({
        type: z.literal('api-key'),
        key: filledText.describe('The key, better as ${VAR}.'),
        header: header.default('x-api-key').describe('The header that carries the key.'),
      }),
      z.strictObject({
        type: z.literal('basic'),
        username: text.refine((name) => !name.includes(':'), 'must not contain a colon').describe('The user name.'),
        password: text.describe('The password, better as ${VAR}.'),
      }),
      z.strictObject({
        type: z.literal('oauth'),
        clientId: filledText.optional().describe('Without one, Toolwharf registers itself with the server.'),
        clientSecret: filledText.optional().describe('The secret, better as ${VAR}.'),
        scope: text.optional().describe('Scopes to ask for, separated by spaces.'),
        redirectUrl: url.optional().describe("Where the browser comes back to; Toolwharf's own callback by default."),
        clientMetadataUrl: url.optional().describe('HTTPS address of a client metadata document.'),
      }),
    ],
    { error: (issue) => (issue.code === 'invalid_union' ? 'unknown value' : 'must be a map with a type') },
  )
  .describe('How to authenticate to the server.');

/** The keys each way of authenticating knows. */
export const authenticationKeys: ReadonlyMap<string, readonly string[]> = new Map(
  authenticationSchema.options.map((option) => [option.shape.type.value, Object.keys(option.shape)]),
);
