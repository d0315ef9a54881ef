import { z } from 'zod';
import { approvalSchema } from './approvals.ts';
import { answer, body, list } from './named.ts';

export const approvalLinkSchema = answer(
  'ApprovalLink',
  z.strictObject({
    channel: z.string().describe('The channel of the message.'),
    approvals: list(approvalSchema).describe('Those that the caller may see, oldest first, answered ones included.'),
  }),
);

export const approvalLinkAnswerSchema = body(
  'ApprovalLinkAnswer',
  z.strictObject({ answer: z.enum(['allow', 'deny']).describe('The answer to every approval that still waits.') }),
);

export const approvalLinkAnsweredSchema = answer(
  'ApprovalLinkAnswered',
  z.strictObject({ answered: z.int().describe('How many approvals this answered; others had an answer before.') }),
);
