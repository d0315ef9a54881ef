import { z } from 'zod';
import { callerKinds } from '../calls.ts';
import { approvalModes, approverGroups, readModes } from '../settings/choices.ts';
import { answer, json, list } from './named.ts';

export const callerSchema = answer(
  'Caller',
  z.strictObject({
    id: z.string(),
    kind: z.enum(callerKinds),
    name: z.string().optional(),
    conversation: z.string().optional(),
    user: z.string().optional().describe('The id of the signed-in person on whose behalf the call is made.'),
    client: z
      .strictObject({ name: z.string(), version: z.string().optional() })
      .optional()
      .describe(
        'The program with which the caller made the call, as it calls itself: `clientInfo` of MCP clients, the first product of `User-Agent` over REST and A2A. Not verified.',
      ),
  }),
);

export const errorSchema = answer(
  'Error',
  z.strictObject({
    error: z.strictObject({
      code: z.string().describe('One of the error codes in docs/errors.md.'),
      message: z.string().describe('The problem and its remedy.'),
      data: json.optional().describe('Machine-readable details; `problems` lists every problem of an invalid request.'),
    }),
  }),
);

export const changeSchema = answer(
  'DefinitionChange',
  z.strictObject({
    path: z.string().describe('JSON pointer into the definition.'),
    kind: z.enum(['added', 'removed', 'changed']),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  }),
);

export const approvalSettingsSchema = answer(
  'ApprovalSettings',
  z.strictObject({
    mode: z.enum(approvalModes),
    trustedTools: list(z.string()),
    ask: list(z.string()),
    deny: list(z.string()),
    expiresMs: z.int(),
    approvers: z.enum(approverGroups),
    reads: z.enum(readModes),
  }),
);
