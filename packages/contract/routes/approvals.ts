import { z } from 'zod';
import {
  approvalAnswerSchema,
  approvalAnswersSchema,
  approvalListSchema,
  approvalSchema,
  approvalStatus,
  pinListSchema,
  ruleListSchema,
} from '../api/approvals.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'approvals';
const params = z.object({ approval: z.string() });

export const approvalRoutes = defineRoutes({
  listApprovals: {
    method: 'get',
    path: '/api/approvals',
    right: 'calls.read',
    group,
    summary: 'Lists approvals, newest first. Only administrators see those of calls and conversations of others.',
    query: z.object({
      status: approvalStatus.optional(),
      caller: z.string().optional().describe("The caller's id."),
      before: z.string().optional().describe('`next` of the previous page.'),
      limit: z.coerce.number<number>().int().min(1).max(500).default(100),
    }),
    answer: approvalListSchema,
  },
  getApproval: {
    method: 'get',
    path: '/api/approvals/{approval}',
    right: 'calls.read',
    group,
    summary: 'Returns one approval with its answer.',
    params,
    answer: approvalSchema,
    errors: ['NOT_FOUND'],
  },
  answerApproval: {
    method: 'post',
    path: '/api/approvals/{approval}/answer',
    right: 'approvals.answer-own',
    group,
    summary:
      'Answers an approval. The first answer counts. Administrators answer for the calls of others; the owner of a conversation for its assistant, and a caller for its own call, where `approvers` of the profile permits it.',
    params,
    body: approvalAnswerSchema,
    answer: approvalSchema,
    errors: ['ARGUMENTS_INVALID', 'CONFLICT', 'GONE', 'NOT_FOUND'],
    recorded: true,
  },
  answerApprovals: {
    method: 'post',
    path: '/api/approvals/answers',
    right: 'approvals.answer-own',
    group,
    summary:
      'Answers several approvals, such as those of one script. All answers are checked before the first one is given. An approval that was answered before keeps its answer.',
    body: approvalAnswersSchema,
    answer: approvalListSchema,
    errors: ['ARGUMENTS_INVALID', 'NOT_FOUND'],
    // Each answer is recorded like that to a single approval.
    recorded: false,
  },
  forgetAnswer: {
    method: 'delete',
    path: '/api/approvals/{approval}/remembered',
    right: 'approvals.answer-own',
    group,
    summary:
      'Forgets a remembered answer: later calls are asked about again. The calls that it allowed are not affected. Whoever may give such an answer may take it back.',
    params,
    errors: ['NOT_FOUND', 'REQUEST_INVALID'],
    recorded: true,
  },
  listRules: {
    method: 'get',
    path: '/api/rules',
    right: 'rules.write',
    group,
    summary: 'Lists the remembered approvals.',
    answer: ruleListSchema,
  },
  revokeRule: {
    method: 'delete',
    path: '/api/rules/{rule}',
    right: 'rules.write',
    group,
    summary: 'Deletes a remembered approval.',
    params: z.object({ rule: z.string() }),
    errors: ['NOT_FOUND'],
  },
  listPins: {
    method: 'get',
    path: '/api/pins',
    right: 'tools.write',
    group,
    summary: 'Lists the accepted definitions of tools. `listTools` shows what changed since.',
    query: z.object({
      after: z.string().max(100).optional().describe('`next` of the previous page.'),
      limit: z.coerce.number<number>().int().min(1).max(500).default(500),
    }),
    answer: pinListSchema,
  },
});
