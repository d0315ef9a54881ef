import type { JsonObject } from '../../../contract/json.ts';
import type { ElicitAnswer } from '../../../toolwharf/connections/request-host.ts';
import type { PendingQuestion, PendingQuestions } from '../calls/pending-questions.ts';
import type { Fleet } from './fleet.ts';

/** The open questions on all replicas. */
export interface SharedQuestions {
  /** Oldest first. */
  list(): Promise<readonly PendingQuestion[]>;
  find(id: string): Promise<PendingQuestion | undefined>;
  /** Answers a question where it was asked; the first answer counts. */
  answer(id: string, answer: ElicitAnswer): Promise<boolean>;
}

interface Located {
  readonly question: PendingQuestion;
  /** Undefined for a question on this replica. */
  readonly replica?: string;
}

export function shareQuestions(questions: PendingQuestions, fleet: Fleet): SharedQuestions {
  fleet.handle('questions.list', async () => ({ questions: questions.list() as never }));
  fleet.handle('questions.answer', async ({ id, answer }) => ({
    answered: questions.answer(String(id), answer as unknown as ElicitAnswer),
  }));

  async function locate(): Promise<readonly Located[]> {
    const others = (await fleet.gather('questions.list', {})).flatMap(({ replica, result }) =>
      (result.questions as unknown as PendingQuestion[]).map((question) => ({ question, replica })),
    );
    const all = [...questions.list().map((question): Located => ({ question })), ...others];
    return all.sort((one, other) => (one.question.askedAt < other.question.askedAt ? -1 : 1));
  }

  return {
    list: async () => (await locate()).map(({ question }) => question),
    find: async (id) => questions.find(id) ?? (await locate()).find(({ question }) => question.id === id)?.question,
    async answer(id, answer) {
      if (questions.find(id)) return questions.answer(id, answer);
      const found = (await locate()).find(({ question }) => question.id === id);
      if (found?.replica === undefined) return false;
      const params = { id, answer: answer as unknown as JsonObject };
      return (await fleet.request(found.replica, 'questions.answer', params)).answered === true;
    },
  };
}
