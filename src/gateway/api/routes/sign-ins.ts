import { z } from 'zod';
import { oauthOutcomes, oauthReasons, oauthStepKinds } from '../../../connections/authentication/oauth-trace.ts';
import { findServer } from '../access.ts';
import { route } from '../route.ts';
import { answer, isoTime, list } from '../schemas/named.ts';

const stepSchema = answer(
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

const attemptSchema = answer(
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
    steps: list(stepSchema),
  }),
);

const signInSchema = answer(
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
    attempts: list(attemptSchema).describe('Up to 5 attempts since the gateway started, newest first.'),
  }),
);

const shared = {
  path: '/api/servers/{server}/sign-in',
  right: 'admin',
  group: 'servers',
  params: z.object({ server: z.string() }),
  access: findServer,
} as const;

export const signInRoutes = [
  route({
    ...shared,
    operationId: 'getSignIn',
    method: 'get',
    summary: 'Returns the OAuth sign-in to a server and each step of the latest attempts, with secrets redacted.',
    answer: signInSchema,
    errors: ['NOT_FOUND'],
    async handle({ resource }, { toolbox }) {
      const state = await toolbox.servers.signInState(resource.name);
      return { usesOAuth: state !== undefined, attempts: [], ...state };
    },
  }),
  route({
    ...shared,
    operationId: 'signOut',
    method: 'delete',
    summary: 'Deletes the OAuth sign-in to a server, tokens and registration, revokes the tokens, and connects again.',
    errors: ['NOT_FOUND'],
    handle: ({ resource }, { toolbox }) => toolbox.servers.signOut(resource.name),
  }),
];
