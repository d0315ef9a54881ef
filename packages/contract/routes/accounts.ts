import { z } from 'zod';
import { answer, body, isoTime, list } from '../api/named.ts';
import { defineRoutes } from './define-routes.ts';

const label = z.string().min(1).max(60).describe("The owner's name for the account.");

const accountInputSchema = body(
  'AccountInput',
  z.strictObject({
    server: z.string().min(1).max(100),
    label: label.optional().describe('An account of this name gets new credentials. Default: a new account.'),
    values: z
      .record(z.string(), z.string().max(8_192))
      .optional()
      .describe('The values of the fields of the server; none if it uses OAuth.'),
  }),
);

const accountChangeSchema = body(
  'AccountChange',
  z.strictObject({
    label: label.optional(),
    isDefault: z.literal(true).optional().describe('Calls that name no account use this one.'),
  }),
);

export const accountSchema = answer(
  'Account',
  z.strictObject({
    id: z.string(),
    server: z.string(),
    label: z.string(),
    state: z
      .enum(['pending', 'connected'])
      .describe('pending: the owner has to sign in, or to enter the credentials again.'),
    isDefault: z.boolean(),
    isOwn: z.boolean().describe("Whether it is the caller's own account."),
    owner: z.string().optional().describe('The id of its owner; for administrators.'),
    ownerName: z.string().optional().describe('For administrators.'),
    createdAt: isoTime,
  }),
);

const connectedAccountSchema = answer(
  'ConnectedAccount',
  accountSchema.extend({
    signInUrl: z
      .string()
      .optional()
      .describe('Where the person signs in, in the browser that sent this request: it got a cookie for that.'),
  }),
);

export const personalServerSchema = answer(
  'PersonalServer',
  z.strictObject({
    server: z.string(),
    description: z.string().optional(),
    fields: list(z.string()).describe('The values that a person enters; empty if they sign in with OAuth.'),
  }),
);

const accountListSchema = answer(
  'AccountList',
  z.strictObject({
    servers: list(personalServerSchema).describe('The servers at which people have accounts of their own.'),
    accounts: list(accountSchema),
  }),
);

const group = 'accounts';
const params = z.object({ account: z.string() });

export const accountRoutes = defineRoutes({
  listAccounts: {
    method: 'get',
    path: '/api/accounts',
    right: 'accounts.read',
    group,
    summary: "Lists the caller's accounts at servers with per-user credentials; with `all`, those of everybody.",
    query: z.object({ all: z.stringbool().optional().describe('The accounts of everybody; administrators only.') }),
    answer: accountListSchema,
    errors: ['FORBIDDEN'],
  },
  connectAccount: {
    recorded: true,
    method: 'post',
    path: '/api/accounts',
    right: 'accounts.connect',
    group,
    summary: 'Connects an account of the caller with the values it sends, or starts a sign-in and returns its URL.',
    body: accountInputSchema,
    answer: connectedAccountSchema,
    status: 201,
    errors: ['NOT_FOUND', 'LIMIT_REACHED', 'SERVER_UNREACHABLE', 'SERVER_DISCONNECTED', 'OAUTH_FAILED'],
  },
  changeAccount: {
    recorded: true,
    method: 'put',
    path: '/api/accounts/{account}',
    right: 'accounts.connect',
    group,
    summary: "Renames one of the caller's accounts, or makes it the one that calls use.",
    params,
    body: accountChangeSchema,
    answer: accountSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  disconnectAccount: {
    recorded: true,
    method: 'delete',
    path: '/api/accounts/{account}',
    right: 'accounts.connect',
    group,
    summary:
      'Deletes an account with its credentials, revokes its tokens, and ends its calls: an own one, or anyone’s for administrators.',
    params,
    errors: ['NOT_FOUND'],
  },
});
