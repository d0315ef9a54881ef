import { z } from 'zod';
import { approvalScopes, approvalStatuses, ruleAudiences } from '../approvals.ts';
import { createMatcher } from '../match-globs.ts';
import { approverGroups } from '../settings/choices.ts';
import { callerSchema, changeSchema } from './common.ts';
import { dataFlowSchema } from './data-flows.ts';
import { answer, body, isoTime, json, list } from './named.ts';

export const approvalStatus = z.enum(approvalStatuses);
const scope = z.enum(approvalScopes);
const audience = z.enum(ruleAudiences);
const matching = z.record(z.string(), z.string());
const maxPatterns = 50;

function isPattern(pattern: string): boolean {
  try {
    createMatcher([pattern]);
    return pattern.length <= 1_000;
  } catch {
    return false;
  }
}

const reachInput = {
  scope: scope
    .optional()
    .describe(
      'The calls that the answer applies to; `once`. `flow` is the `flows` of the approval: the same data to the same tool in this conversation. `conversation` is this tool in this conversation. The others are remembered for the `audience`.',
    ),
  audience: audience
    .optional()
    .describe(
      'Which callers a remembered answer is for; `caller`: the assistant or key that made the call. Only administrators can answer for `caller` and `everyone`. `everyone` also accepts a changed definition.',
    ),
  matching: matching
    .refine((patterns) => Object.values(patterns).every(isPattern), {
      error: 'a pattern is a glob of at most 1 000 characters that does not start with !',
    })
    .refine((patterns) => Object.keys(patterns).length <= maxPatterns, {
      error: `there can be ${maxPatterns} patterns at most`,
    })
    .optional()
    .describe('Globs by argument name: a remembered answer holds only for calls whose arguments match.'),
};

export const approvalSchema = answer(
  'Approval',
  z.strictObject({
    id: z.string(),
    callId: z.string(),
    script: z
      .strictObject({
        call: z.string().describe('The id of the call of the script.'),
        step: z.int().describe('The position of this call in the script, from 1.'),
      })
      .optional()
      .describe('The script that makes the call.'),
    caller: callerSchema,
    server: z.string().optional(),
    tool: z.string(),
    originalName: z.string(),
    description: z.string(),
    annotations: json.optional(),
    arguments: json,
    isPreview: z
      .boolean()
      .optional()
      .describe('True in a list if `arguments` are large and shortened; `getApproval` returns all of them.'),
    argumentsHash: z.string(),
    definitionHash: z.string(),
    serverHash: z.string().optional().describe("Hash of the server's address, which the answer is bound to."),
    reason: z.string().describe('Why the call needs approval.'),
    policy: z.string().optional().describe('The plugin whose policy requires the approval.'),
    policyRules: list(z.string()).optional().describe('The ids of the rules of the policy that require the approval.'),
    flows: list(dataFlowSchema)
      .optional()
      .describe(
        'The data flows of the policy that require the approval, with the earlier calls that brought the data.',
      ),
    access: z
      .string()
      .optional()
      .describe(
        'What the server wants while it runs the call, such as a host. The answer is about that: with a scope other than `once`, it changes the sandbox profile of the server.',
      ),
    change: list(changeSchema)
      .optional()
      .describe('The changes since the definition was accepted, if they are the reason.'),
    approvers: z
      .enum(approverGroups)
      .optional()
      .describe('Who may answer besides administrators, by the profile of the call.'),
    askedAt: isoTime,
    expiresAt: isoTime,
    status: approvalStatus.describe('`used`: allowed, and the call was started.'),
    answer: z
      .strictObject({
        kind: z.enum(['allow', 'deny']),
        scope: scope.optional(),
        audience: audience.optional(),
        matching: matching.optional(),
        arguments: json.optional(),
        reason: z.string().optional(),
      })
      .optional(),
    answeredAt: isoTime.optional(),
    answeredBy: z.string().optional().describe('Name of the person; `withdrawal` if the call ended before an answer.'),
    isRemembered: z
      .boolean()
      .describe('Whether a rule was made of the answer and still exists. `forgetAnswer` removes it.'),
    mayAnswer: z.boolean().describe('Whether the requesting caller may answer.'),
    audiences: list(audience).describe(
      'The audiences that the requesting caller may choose for a remembered answer; empty: only the scope `once`.',
    ),
  }),
);

export type ApprovalView = z.input<typeof approvalSchema>;

export const approvalListSchema = answer(
  'ApprovalList',
  z.strictObject({
    approvals: list(approvalSchema),
    next: z.string().optional().describe('`before` of the next page; absent on the last one.'),
  }),
);

export const approvalAnswerSchema = body(
  'ApprovalAnswer',
  z.discriminatedUnion('answer', [
    z.strictObject({
      answer: z.literal('allow'),
      ...reachInput,
      arguments: json.optional().describe('Edited arguments to run with; they are validated again.'),
    }),
    z.strictObject({
      answer: z.literal('deny'),
      ...reachInput,
      reason: z.string().max(2_000).optional().describe('Shown to the model.'),
    }),
  ]),
);

export const approvalAnswersSchema = body(
  'ApprovalAnswers',
  z.strictObject({
    answers: z
      .array(z.strictObject({ approval: z.string(), answer: approvalAnswerSchema }))
      .min(1)
      .max(200)
      .readonly()
      .describe('One answer for each approval.'),
  }),
);

export const ruleSchema = answer(
  'RememberedRule',
  z.strictObject({
    id: z.string(),
    scope: scope.exclude(['once', 'flow']),
    answer: z.enum(['allow', 'deny']),
    serverAddress: z.string().optional(),
    server: z.string().optional(),
    tool: z.string().optional(),
    definitionHash: z.string().optional(),
    audience: audience.describe('Which callers the rule is for.'),
    conversation: z.string().optional().describe('The conversation, for the audience `conversation`.'),
    caller: z.string().optional().describe('The id of the assistant or key, for the audience `caller`.'),
    callerName: z.string().optional(),
    matching: matching.optional().describe('Globs by argument name.'),
    createdBy: z.string().optional().describe('Who gave the answer.'),
    createdAt: isoTime,
  }),
);

export const ruleListSchema = answer('RuleList', z.strictObject({ rules: list(ruleSchema) }));

export const pinSchema = answer(
  'Pin',
  z.strictObject({
    serverAddress: z.string().describe('The URL of the server, or the hash of its command.'),
    servers: list(z.string()).describe('The names of the servers that have this address now.'),
    tool: z.string().describe('Name of the tool on its server.'),
    hash: z.string(),
    definition: json.describe('The accepted definition.'),
    acceptedAt: isoTime,
    isNew: z
      .boolean()
      .optional()
      .describe('Nobody has accepted the tool yet; `acceptedAt` is when it was first listed.'),
  }),
);

export const pinListSchema = answer(
  'PinList',
  z.strictObject({
    pins: list(pinSchema),
    next: z.string().optional().describe('`after` of the next page; absent on the last page.'),
  }),
);
