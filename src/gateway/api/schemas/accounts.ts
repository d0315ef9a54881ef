import { z } from 'zod';
import { answer, body, isoTime, list } from './named.ts';

const label = z.string().min(1).max(60).describe("The owner's name for the account.");

export const accountInputSchema = body(
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

export const accountChangeSchema = body(
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

export const connectedAccountSchema = answer(
  'ConnectedAccount',
  accountSchema.extend({
    signInUrl: z
      .string()
      .optional()
      .describe('Where the person signs in, in the browser that sent this request: it got a cookie for that.'),
  }),
);

const personalServerSchema = answer(
  'PersonalServer',
  z.strictObject({
    server: z.string(),
    description: z.string().optional(),
    fields: list(z.string()).describe('The values that a person enters; empty if they sign in with OAuth.'),
  }),
);

export const accountListSchema = answer(
  'AccountList',
  z.strictObject({
    servers: list(personalServerSchema).describe('The servers at which people have accounts of their own.'),
    accounts: list(accountSchema),
  }),
);
