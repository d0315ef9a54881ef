import { z } from 'zod';
import { answer, body, isoTime, json, list } from './named.ts';

export const questionSchema = answer(
  'Question',
  z.strictObject({
    id: z.string(),
    kind: z.enum(['elicitation', 'sampling']),
    server: z.string(),
    callId: z.string().optional().describe('The call in whose middle it is asked.'),
    tool: z.string().optional(),
    conversation: z.string().optional().describe('The conversation of that call.'),
    params: json.describe(
      'What the server sent: of an elicitation `message` and `requestedSchema` or `url`; of sampling `messages`, `systemPrompt`, `maxTokens`.',
    ),
    askedAt: isoTime,
    expiresAt: isoTime.describe('Then it counts as cancelled.'),
  }),
);

export type QuestionView = z.input<typeof questionSchema>;

export const questionListSchema = answer('QuestionList', z.strictObject({ questions: list(questionSchema) }));

export const questionAnswerSchema = body(
  'QuestionAnswer',
  z.strictObject({
    action: z
      .enum(['accept', 'decline', 'cancel'])
      .describe("Accepted sampling is answered by the model of the conversation's assistant."),
    content: json.optional().describe('What was filled in, for an accepted form.'),
  }),
);
