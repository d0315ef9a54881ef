import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { ApiError, type Question, type QuestionAnswer } from '../../api/client.ts';
import { useToast } from '../Toasts.tsx';

/** Answers a server's question. The first answer counts: one that came too late is told kindly. */
export function useAnswerQuestion(question: Question) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    async mutationFn(body: QuestionAnswer) {
      try {
        await api.answerQuestion({ path: { question: question.id }, body });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
        toast('This question waits no more: it was answered elsewhere, or its call ended.');
      }
    },
    onSuccess() {
      queries.setQueryData<readonly Question[]>(['questions'], (open) => open?.filter(({ id }) => id !== question.id));
      void queries.invalidateQueries({ queryKey: ['questions'] });
    },
  });
}
