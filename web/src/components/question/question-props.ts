import type { Question, QuestionAnswer } from '../../api/client.ts';

/** What each kind of question is shown with. */
export interface QuestionProps {
  readonly question: Question;
  readonly busy: boolean;
  /** Why the last answer was not taken. */
  readonly error: unknown;
  readonly onAnswer: (answer: QuestionAnswer) => void;
}
