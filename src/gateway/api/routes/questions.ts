import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { route } from '../route.ts';
import { questionAnswerSchema, questionListSchema, toQuestionView } from '../schemas/questions.ts';

const group = 'questions';

export const questionRoutes = [
  route({
    operationId: 'listQuestions',
    method: 'get',
    path: '/api/questions',
    right: 'read',
    group,
    summary:
      'Lists the open questions that servers asked during calls of this API and of assistants, oldest first. Only administrators see questions of calls and conversations of others.',
    answer: questionListSchema,
    async handle({ identity }, { calls, security }) {
      const owned = await Promise.all(
        (await calls.sharedQuestions.list()).map(async (question) =>
          (await security.ownership.owns(identity, question.caller)) ? [question] : [],
        ),
      );
      return { questions: owned.flat().map(toQuestionView) };
    },
  }),
  route({
    operationId: 'answerQuestion',
    method: 'post',
    path: '/api/questions/{question}/answer',
    right: 'call',
    group,
    summary: 'Answers a question of a server. The first answer counts.',
    params: z.object({ question: z.string() }),
    body: questionAnswerSchema,
    errors: ['NOT_FOUND'],
    async handle({ identity, params: { question: id }, body }, { calls, security }) {
      const question = await calls.sharedQuestions.find(id);
      const isOwn = question && (await security.ownership.owns(identity, question.caller));
      if (!isOwn || !(await calls.sharedQuestions.answer(id, body)))
        throw new ToolwharfError('NOT_FOUND', `There is no open question '${id}'`);
    },
  }),
];
