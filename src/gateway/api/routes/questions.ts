import { z } from 'zod';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { toQuestionView } from '../question-view.ts';
import { route } from '../route.ts';
import { questionAnswerSchema, questionListSchema } from '../schemas/questions.ts';

const group = 'questions';

export const questionRoutes = [
  route({
    operationId: 'listQuestions',
    method: 'get',
    path: '/api/questions',
    right: 'read',
    group,
    summary:
      'What servers ask in the middle of calls over this API and of assistants, oldest first. Others than administrators see questions of their own calls and conversations.',
    answer: questionListSchema,
    async handle({ identity }, { questions, ownership }) {
      const own = await Promise.all(
        questions.list().map(async (question) => ({
          question,
          isOwn: await ownership.owns(identity, question.caller),
        })),
      );
      return { questions: own.flatMap(({ question, isOwn }) => (isOwn ? toQuestionView(question) : [])) };
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
    async handle({ identity, params: { question: id }, body }, { questions, ownership }) {
      const question = questions.find(id);
      const isOwn = question && (await ownership.owns(identity, question.caller));
      if (!isOwn || !questions.answer(id, body))
        throw new ToolwharfError('NOT_FOUND', `There is no question '${id}', or it waits no more`);
    },
  }),
];
