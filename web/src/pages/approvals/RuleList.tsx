import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { BookCheck } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import type { RememberedRule } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Card } from '../../components/Card.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { useTell } from '../../components/Toasts.tsx';
import { RuleRow, ruleSentence } from './RuleRow.tsx';

/** The answers that are remembered for further calls, each to be taken back. */
export function RuleList() {
  const client = useQueryClient();
  const tell = useTell();
  const rules = useQuery(queries.rules());
  const [revoked, setRevoked] = useState<RememberedRule>();
  const revoking = useMutation({
    mutationFn: (rule: RememberedRule) => api.revokeRule({ path: { rule: rule.id } }),
    onSuccess: () => tell('The rule is revoked.'),
    onError: tell.failed,
    onSettled() {
      setRevoked(undefined);
      void client.invalidateQueries({ queryKey: ['rules'] });
    },
  });
  if (rules.isError) return <ErrorNotice error={rules.error} onRetry={() => void rules.refetch()} />;
  if (!rules.data) return <Spinner label="Reading the rules …" />;
  if (rules.data.length === 0) {
    return (
      <EmptyState icon={<BookCheck aria-hidden />} title="No answer is remembered">
        Answer a question with “Always this tool”, “Always this server” or “This conversation”, and the rule is kept
        here until you revoke it.
      </EmptyState>
    );
  }
  const newestFirst = rules.data.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  return (
    <>
      <Card>
        <ul aria-label="Remembered rules" className="divide-y divide-line">
          {newestFirst.map((rule) => (
            <RuleRow key={rule.id} rule={rule} onRevoke={() => setRevoked(rule)} />
          ))}
        </ul>
      </Card>
      <ConfirmDialog
        open={revoked !== undefined}
        title="Revoke this rule?"
        action="Revoke"
        busy={revoking.isPending}
        onConfirm={() => revoked && revoking.mutate(revoked)}
        onClose={() => setRevoked(undefined)}
      >
        {revoked && (
          <p className="break-words">
            {ruleSentence(revoked)} Once it is revoked, the next call is decided as if nobody had answered.
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
