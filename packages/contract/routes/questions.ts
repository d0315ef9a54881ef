import { z } from 'zod';
import { questionAnswerSchema, questionListSchema } from '../api/questions.ts';
import { defineRoutes } from './define-routes.ts';

const group = 'questions';

export const questionRoutes = defineRoutes({
  listQuestions: {
    method: 'get',
    path: '/api/questions',
    right: 'calls.read',
    group,
    summary:
      'Lists the open questions that servers asked during calls of this API and of assistants, oldest first. Only administrators see questions of calls and conversations of others.',
    answer: questionListSchema,
  },
  answerQuestion: {
    method: 'post',
    path: '/api/questions/{question}/answer',
    right: 'approvals.answer-own',
    group,
    summary: 'Answers a question of a server. The first answer counts.',
    params: z.object({ question: z.string() }),
    body: questionAnswerSchema,
    errors: ['NOT_FOUND'],
  },
});
