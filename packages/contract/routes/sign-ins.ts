import { z } from 'zod';
import { answer, isoTime, list } from '../api/named.ts';
import { oauthOutcomes, oauthReasons, oauthStepKinds } from '../connections.ts';
import { defineRoutes } from './define-routes.ts';

export const signInStepSchema = answer(
  'SignInStep',
  z.strictObject({
    kind: z.enum(oauthStepKinds),
    at: isoTime,
    durationMs: z.int().optional(),
    request: z.strictObject({ method: z.string(), url: z.string(), body: z.unknown().optional() }).optional(),
    response: z.strictObject({ status: z.int(), body: z.unknown().optional() }).optional(),
    received: z.unknown().optional().describe('The challenge of the server, or the parameters of the redirect.'),
    error: z.string().optional(),
  }),
);

export const signInAttemptSchema = answer(
  'SignInAttempt',
  z.strictObject({
    startedAt: isoTime,
    endedAt: isoTime.optional(),
    reason: z
      .enum(oauthReasons)
      .describe(
        '`sign-in`: no valid token. `renewal`: the token had expired. `scope`: the server asked for more rights.',
      ),
    outcome: z.enum(oauthOutcomes).describe('`waiting`: a person has to sign in.'),
    error: z.string().optional().describe('The problem and its remedy.'),
    steps: list(signInStepSchema),
  }),
);

export const signInSchema = answer(
  'SignIn',
  z.strictObject({
    usesOAuth: z.boolean(),
    tokens: z
      .strictObject({
        issuer: z.string(),
        scope: z.string().optional(),
        resource: z.string().optional(),
        expiresAt: isoTime.optional(),
        canRenew: z.boolean().describe('Whether the tokens can be renewed without a person.'),
      })
      .optional()
      .describe('The stored tokens, without the tokens themselves.'),
    client: z
      .strictObject({
        clientId: z.string(),
        issuer: z.string(),
        isRegistered: z.boolean().describe('False if the client is configured.'),
        redirectUrls: list(z.string()).optional(),
      })
      .optional()
      .describe('The OAuth client of the gateway at the authorization server.'),
    attempts: list(signInAttemptSchema).describe('Up to 5 attempts since the gateway started, newest first.'),
  }),
);

const shared = {
  path: '/api/servers/{server}/sign-in',
  right: 'servers.write',
  group: 'servers',
  params: z.object({ server: z.string() }),
} as const;

export const signInRoutes = defineRoutes({
  getSignIn: {
    ...shared,
    method: 'get',
    summary: 'Returns the OAuth sign-in to a server and each step of the latest attempts, with secrets redacted.',
    answer: signInSchema,
    errors: ['NOT_FOUND'],
  },
  signOut: {
    ...shared,
    method: 'delete',
    summary: 'Deletes the OAuth sign-in to a server, tokens and registration, revokes the tokens, and connects again.',
    errors: ['NOT_FOUND'],
  },
});
