import { z } from 'zod';
import { approvalLinkAnsweredSchema, approvalLinkAnswerSchema, approvalLinkSchema } from '../api/notifications.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'approvals';
const params = z.object({ link: z.string().max(200) });

/** The links of messages about approvals. */
export const notificationRoutes = defineRoutes({
  getApprovalLink: {
    method: 'get',
    path: '/api/approval-links/{link}',
    right: 'approvals.answer-own',
    group,
    summary:
      'Returns the approvals of a link that a message contained. A link that was sent to one person is for that person only.',
    params,
    answer: approvalLinkSchema,
    errors: ['GONE', 'NOT_FOUND'],
  },
  answerApprovalLink: {
    method: 'post',
    path: '/api/approval-links/{link}/answer',
    right: 'approvals.answer-own',
    group,
    summary:
      'Answers all approvals of a link, for these calls only, under the name of the person who is signed in. A link can be used once.',
    params,
    body: approvalLinkAnswerSchema,
    answer: approvalLinkAnsweredSchema,
    errors: ['GONE', 'NOT_FOUND'],
    // Each answer is recorded like that to a single approval.
    recorded: false,
  },
});
