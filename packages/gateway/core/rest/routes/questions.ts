import { ToolwharfError } from '../../../../contract/errors.ts';
import { questionRoutes as routes } from '../../../../contract/routes/questions.ts';
import { toQuestionView } from '../../calls/pending-questions.ts';
import { implement } from '../route.ts';

export const questionRoutes = [
  implement(routes.listQuestions, {
    async handle({ identity }, { calls, security }) {
      const owned = await Promise.all(
        (await calls.sharedQuestions.list()).map(async (question) =>
          (await security.ownership.owns(identity, question.caller)) ? [question] : [],
        ),
      );
      return { questions: owned.flat().map(toQuestionView) };
    },
  }),
  implement(routes.answerQuestion, {
    async handle({ identity, params: { question: id }, body }, { calls, security }) {
      const question = await calls.sharedQuestions.find(id);
      const isOwn = question && (await security.ownership.owns(identity, question.caller));
      if (!isOwn || !(await calls.sharedQuestions.answer(id, body)))
        throw new ToolwharfError('NOT_FOUND', `There is no open question '${id}'`);
    },
  }),
];
