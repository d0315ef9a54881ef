import { z } from 'zod';
import { approvalScopes } from '../../../policy/approval.ts';
import { approvalStatuses } from '../../../policy/approval-store.ts';
import { callerSchema, changeSchema } from './common.ts';
import { answer, body, isoTime, json, list } from './named.ts';

export const approvalStatus = z.enum(approvalStatuses);
const scope = z.enum(approvalScopes);
const scopeInput = scope.optional().describe('Which calls the answer applies to; `once`.');

export const approvalSchema = answer(
  'Approval',
  z.strictObject({
    id: z.string(),
    callId: z.string(),
    caller: callerSchema,
    server: z.string().optional(),
    tool: z.string(),
    originalName: z.string(),
    description: z.string(),
    annotations: json.optional(),
    arguments: json,
    argumentsHash: z.string(),
    definitionHash: z.string(),
    reason: z.string().describe('Why the call needs approval.'),
    change: list(changeSchema)
      .optional()
      .describe('What changed since the definition was accepted, if that is the reason.'),
    askedAt: isoTime,
    expiresAt: isoTime,
    status: approvalStatus.describe('`used`: allowed, and the call was started.'),
    answer: z
      .strictObject({
        kind: z.enum(['allow', 'deny']),
        scope: scope.optional(),
        arguments: json.optional(),
        reason: z.string().optional(),
      })
      .optional(),
    answeredAt: isoTime.optional(),
    answeredBy: z.string().optional().describe('Name of the person; `withdrawal` if the call ended before an answer.'),
    mayAnswer: z.boolean().describe('Whether the requesting caller may answer.'),
  }),
);

export type ApprovalView = z.input<typeof approvalSchema>;

export const approvalListSchema = answer('ApprovalList', z.strictObject({ approvals: list(approvalSchema) }));

export const approvalAnswerSchema = body(
  'ApprovalAnswer',
  z.discriminatedUnion('answer', [
    z.strictObject({
      answer: z.literal('allow'),
      scope: scopeInput,
      arguments: json.optional().describe('Edited arguments to run with; they are validated again.'),
    }),
    z.strictObject({
      answer: z.literal('deny'),
      scope: scopeInput,
      reason: z.string().max(2_000).optional().describe('Shown to the model.'),
    }),
  ]),
);

const ruleSchema = answer(
  'RememberedRule',
  z.strictObject({
    id: z.string(),
    scope: scope.exclude(['once']),
    answer: z.enum(['allow', 'deny']),
    serverAddress: z.string().optional(),
    server: z.string().optional(),
    tool: z.string().optional(),
    definitionHash: z.string().optional(),
    conversation: z.string().optional(),
    createdAt: isoTime,
  }),
);

export const ruleListSchema = answer('RuleList', z.strictObject({ rules: list(ruleSchema) }));

const pinSchema = answer(
  'Pin',
  z.strictObject({
    serverAddress: z.string(),
    tool: z.string().describe('Name of the tool on its server.'),
    hash: z.string(),
    definition: json.describe('The accepted definition.'),
    acceptedAt: isoTime,
  }),
);

export const pinListSchema = answer('PinList', z.strictObject({ pins: list(pinSchema) }));
