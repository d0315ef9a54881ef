import { z } from 'zod';
import { answer, body, isoTime, json, list } from './named.ts';

export const questionSchema = answer(
  'Question',
  z.strictObject({
    id: z.string(),
    kind: z.enum(['elicitation', 'sampling']),
    server: z.string(),
    callId: z.string().optional().describe('The call during which the server asks.'),
    tool: z.string().optional(),
    conversation: z.string().optional().describe('The conversation of that call.'),
    params: json.describe(
      "The server's request: `message` and `requestedSchema` or `url` for an elicitation; `messages`, `systemPrompt` and `maxTokens` for sampling.",
    ),
    repliedBy: z
      .enum(['model', 'person'])
      .optional()
      .describe(
        'Who replies to an accepted sampling request: the model of the conversation, or the person who accepts it.',
      ),
    askedAt: isoTime,
    expiresAt: isoTime.describe('When the question is cancelled automatically.'),
  }),
);

export type QuestionView = z.input<typeof questionSchema>;

export const questionListSchema = answer('QuestionList', z.strictObject({ questions: list(questionSchema) }));

export const questionAnswerSchema = body(
  'QuestionAnswer',
  z.strictObject({
    action: z
      .enum(['accept', 'decline', 'cancel'])
      .describe("`accept` for sampling lets the model of the conversation's assistant answer, or sends your reply."),
    content: json
      .optional()
      .describe('The values of an accepted form. `text` is the reply to sampling with `repliedBy: person`.'),
  }),
);
