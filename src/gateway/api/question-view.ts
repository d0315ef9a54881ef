import type { PendingQuestion } from '../questions/pending-questions.ts';
import type { QuestionView } from './schemas/questions.ts';

/** A server's question as it is shown to those who may answer it. */
export function toQuestionView({ caller, ...question }: PendingQuestion): QuestionView {
  return { ...question, ...(caller.conversation !== undefined && { conversation: caller.conversation }) };
}
