import { useQuery } from '@tanstack/react-query';
import { Ban, Check } from 'lucide-react';
import { useParams } from 'wouter';
import { type Approval, api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { ErrorNotice, Notice } from '../../components/ErrorNotice.tsx';
import { Page } from '../../components/Page.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../text/plural.ts';

/** The approvals of one message, with two buttons that a thumb reaches. */
export default function AnswerPage() {
  const { link = '' } = useParams();
  // The link works once: it is not asked for again after the answer.
  const found = useQuery({
    ...query(['approval-link', link], (signal) => api.getApprovalLink({ path: { link }, signal })),
    retry: false,
    refetchOnWindowFocus: false,
  });
  const answering = useAction({
    run: (answer: 'allow' | 'deny') => api.answerApprovalLink({ path: { link }, body: { answer } }),
    refetch: ['approvals'],
    showsError: true,
  });
  const { approvals = [] } = found.data ?? {};
  const pending = approvals.filter(({ status }) => status === 'pending');
  const mayAnswer = pending.length > 0 && pending.every((approval) => approval.mayAnswer);
  const all = (verb: string) => (pending.length === 1 ? `${verb} once` : `${verb} all ${pending.length}`);
  return (
    <Page title="Answer" description={found.data && describe(approvals, pending)}>
      {found.isError ? (
        <ErrorNotice title="This link cannot be used" error={found.error} />
      ) : (
        !found.data && <QueryState query={found} what="approvals" />
      )}
      {answering.isSuccess && (
        <Notice tone="info" title={answering.variables === 'allow' ? 'Allowed' : 'Denied'}>
          {answering.data.answered === 0
            ? 'The calls had an answer already, which counts.'
            : `You answered ${plural(answering.data.answered, 'call')}. You can close this page.`}
        </Notice>
      )}
      {answering.isError && <ErrorNotice title="The answer was rejected" error={answering.error} />}
      {!answering.isSuccess &&
        approvals.map((approval) => (
          <Card key={approval.id} className="p-4">
            <ApprovalPanel approval={approval} answers={false} />
          </Card>
        ))}
      {found.data && pending.length > 0 && !mayAnswer && (
        <Notice tone="info">
          You cannot answer all of these calls: people do not answer approvals of their own calls, and some need an
          administrator.
        </Notice>
      )}
      {mayAnswer && !answering.isSuccess && (
        <div className="sticky bottom-0 -mx-4 flex gap-3 border-t border-line bg-surface p-4 sm:static sm:mx-0 sm:border-0 sm:bg-transparent sm:p-0">
          <Button
            look="danger"
            icon={Ban}
            className="min-h-14 flex-1 text-base sm:min-h-9 sm:flex-none sm:text-sm"
            busy={answering.isPending && answering.variables === 'deny'}
            disabled={answering.isPending}
            onClick={() => answering.mutate('deny')}
          >
            {all('Deny')}
          </Button>
          <Button
            look="primary"
            icon={Check}
            className="min-h-14 flex-1 text-base sm:min-h-9 sm:flex-none sm:text-sm"
            busy={answering.isPending && answering.variables === 'allow'}
            disabled={answering.isPending}
            onClick={() => answering.mutate('allow')}
          >
            {all('Allow')}
          </Button>
        </div>
      )}
      {(answering.isSuccess || found.isError || (found.data && !mayAnswer)) && (
        <p>
          <ButtonLink href="/approvals">Open Approvals</ButtonLink>
        </p>
      )}
    </Page>
  );
}

function describe(approvals: readonly Approval[], pending: readonly Approval[]): string {
  if (pending.length === 0) return 'None of these calls waits for an answer any more.';
  if (pending.length < approvals.length)
    return `${pending.length} of ${approvals.length} calls still wait for an answer.`;
  return pending.length === 1 ? 'This call waits for your answer.' : `${pending.length} calls wait for your answer.`;
}
