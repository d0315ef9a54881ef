import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { ApiError, type Approval, type ApprovalAnswer } from '../../api/client.ts';
import { useToast } from '../Toasts.tsx';
import { outcomeOf } from './outcome.ts';

/** Answers an approval. The first answer counts; a late one reports the answer that counted. */
export function useAnswerApproval(approval: Approval, onAnswered: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: ApprovalAnswer) => answer(approval, body),
    onSuccess({ late }) {
      if (late !== undefined) toast(late);
      removePending(queries, approval.id);
      onAnswered();
    },
  });
}

async function answer(approval: Approval, body: ApprovalAnswer): Promise<{ readonly late?: string }> {
  const path = { approval: approval.id };
  try {
    await api.answerApproval({ path, body });
    return {};
  } catch (error) {
    if (!(error instanceof ApiError) || !['CONFLICT', 'GONE', 'NOT_FOUND'].includes(error.code)) throw error;
    const found = await api.getApproval({ path }).catch(() => undefined);
    if (found?.status === 'pending') throw error;
    return { late: found ? `Already answered: ${outcomeOf(found).sentence}` : 'This approval no longer exists.' };
  }
}

/** Removes the approval from the pending list at once, and then refetches. */
function removePending(queries: QueryClient, id: string): void {
  queries.setQueryData<readonly Approval[]>(['approvals', 'pending'], (pending) =>
    pending?.filter((one) => one.id !== id),
  );
  void queries.invalidateQueries({ queryKey: ['approvals'] });
  void queries.invalidateQueries({ queryKey: ['rules'] });
}
