import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { ApiError, type Approval, type ApprovalAnswer } from '../../api/client.ts';
import { useToast } from '../Toasts.tsx';
import { outcomeOf } from './outcome.ts';

/** Answers one question. The first answer counts: one that came too late says kindly what happened instead of failing. */
export function useAnswerApproval(approval: Approval, onAnswered: () => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: ApprovalAnswer) => answer(approval, body),
    onSuccess({ late }) {
      if (late !== undefined) toast(late);
      forget(queries, approval.id);
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
    return { late: found ? `It was answered before you: ${outcomeOf(found).sentence}` : 'This question is gone.' };
  }
}

/** It no longer waits: every list says so at once, and then as the gateway has it. */
function forget(queries: QueryClient, id: string): void {
  queries.setQueryData<readonly Approval[]>(['approvals', 'pending'], (pending) =>
    pending?.filter((one) => one.id !== id),
  );
  void queries.invalidateQueries({ queryKey: ['approvals'] });
  void queries.invalidateQueries({ queryKey: ['rules'] });
}
