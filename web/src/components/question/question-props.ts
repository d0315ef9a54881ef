import type { Question, QuestionAnswer } from '../../api/client.ts';

/** The props of every kind of question. */
export interface QuestionProps {
  readonly question: Question;
  readonly busy: boolean;
  /** Why the last answer was rejected. */
  readonly error: unknown;
  readonly onAnswer: (answer: QuestionAnswer) => void;
}
