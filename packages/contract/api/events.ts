import { z } from 'zod';
import { approvalScopes, ruleAudiences } from '../approvals.ts';
import { connectionStates } from '../connections.ts';
import { conversationSchema } from '../records/conversation.ts';
import { callEnd, callFacts, callParentSchema, callStatus, ruleId, upstreamTaskSchema } from './calls.ts';
import { callerSchema } from './common.ts';
import { answer, isoTime, json, list } from './named.ts';
import { questionSchema } from './questions.ts';
import { statusSchema } from './servers.ts';
import { warningSchema } from './tools.ts';

const state = z.enum(connectionStates);

const callReference = {
  id: z.string(),
  callId: z.string(),
  server: z.string().optional(),
  tool: z.string(),
  caller: callerSchema,
};
const adminJson = json.optional().describe('Only for administrators; omitted if larger than 8 KiB.');

/** The data of each event, by event name. */
export const eventSchemas = {
  ready: answer('ReadyEvent', z.strictObject({})),
  alive: answer('AliveEvent', z.strictObject({})),
  reset: answer('ResetEvent', z.strictObject({ reason: z.string() })),
  'server.added': answer('ServerAddedEvent', z.strictObject({ server: z.string() })),
  'server.updated': answer('ServerUpdatedEvent', z.strictObject({ server: z.string() })),
  'server.removed': answer('ServerRemovedEvent', z.strictObject({ server: z.string() })),
  'server.changed': answer(
    'ServerChangedEvent',
    z.strictObject({ server: z.string(), before: state, status: statusSchema }),
  ),
  'catalog.changed': answer(
    'CatalogChangedEvent',
    z.strictObject({
      server: z.string().optional(),
      added: list(z.string()),
      removed: list(z.string()),
      changed: list(z.string()),
    }),
  ),
  'tool.flagged': answer(
    'ToolFlaggedEvent',
    z.strictObject({
      tool: z.string(),
      server: z.string(),
      definitionHash: z.string(),
      warnings: list(warningSchema),
    }),
  ),
  'content.changed': answer(
    'ContentChangedEvent',
    z.strictObject({
      server: z.string().optional().describe('Absent for the skills of local folders.'),
      kind: z.enum(['resources', 'resourceTemplates', 'prompts', 'skills']),
    }),
  ),
  'call.changed': answer(
    'CallChangedEvent',
    z.strictObject({
      ...callFacts,
      parent: callParentSchema.optional(),
      status: callStatus,
      end: callEnd.optional(),
      errorCode: z.string().optional(),
      rule: ruleId,
      approvedBy: z.string().optional().describe('Who approved the call, if a person was asked.'),
      isTask: z.boolean().optional().describe('True if the call is a task of A2A or MCP.'),
      upstreamTask: upstreamTaskSchema.optional(),
      createdAt: isoTime,
      startedAt: isoTime.optional(),
      completedAt: isoTime.optional(),
      arguments: adminJson,
      result: adminJson,
      error: z.strictObject({ code: z.string(), message: z.string() }).optional().describe('Only for administrators.'),
    }),
  ),
  'call.progressed': answer(
    'CallProgressedEvent',
    z.strictObject({
      id: z.string(),
      progress: z.number(),
      total: z.number().optional(),
      message: z.string().optional(),
    }),
  ),
  'approval.asked': answer(
    'ApprovalAskedEvent',
    z.strictObject({
      ...callReference,
      reason: z.string(),
      askedAt: isoTime,
      expiresAt: isoTime,
      arguments: adminJson,
    }),
  ),
  'approval.answered': answer(
    'ApprovalAnsweredEvent',
    z.strictObject({
      ...callReference,
      answer: z.enum(['allow', 'deny']),
      scope: z.enum(approvalScopes).optional(),
      audience: z.enum(ruleAudiences).optional(),
    }),
  ),
  'approval.withdrawn': answer('ApprovalWithdrawnEvent', z.strictObject({ ...callReference, reason: z.string() })),
  'question.asked': answer(
    'QuestionAskedEvent',
    questionSchema.extend({ params: json.optional().describe('Omitted if larger than 8 KiB.') }),
  ),
  'question.answered': answer(
    'QuestionAnsweredEvent',
    z.strictObject({
      id: z.string(),
      callId: z.string().optional(),
      conversation: z.string().optional(),
      action: z
        .enum(['accept', 'decline', 'cancel', 'withdrawn'])
        .describe('`withdrawn`: the call ended or the question expired before an answer.'),
    }),
  ),
  'conversation.changed': answer(
    'ConversationChangedEvent',
    conversationSchema.pick({ id: true, title: true, status: true, updatedAt: true }),
  ),
  'conversation.removed': answer('ConversationRemovedEvent', z.strictObject({ id: z.string() })),
  'assistants.changed': answer('AssistantsChangedEvent', z.strictObject({})),
  'models.changed': answer('ModelsChangedEvent', z.strictObject({})),
  'profiles.changed': answer('ProfilesChangedEvent', z.strictObject({ profiles: list(z.string()) })),
  'config.applied': answer(
    'ConfigAppliedEvent',
    z.strictObject({ added: list(z.string()), removed: list(z.string()), changed: list(z.string()) }),
  ),
  'config.refused': answer('ConfigRefusedEvent', z.strictObject({ message: z.string() })),
} as const;

export type EventName = keyof typeof eventSchemas;
export type EventData<Name extends EventName> = z.input<(typeof eventSchemas)[Name]>;
