import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import type { Approval } from '../../api/client.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { AnsweredRow } from './AnsweredRow.tsx';
import { answeredApprovals } from './approval-queries.ts';

const few = 100;
/** The most the gateway gives. */
const many = 500;

/** What became of earlier questions. */
export function AnsweredList() {
  const [limit, setLimit] = useState(few);
  const [opened, setOpened] = useState<Approval>();
  const list = useQuery(answeredApprovals(limit));
  if (list.isError) return <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Spinner label="Reading what was answered …" />;
  const { answered, isFull } = list.data;
  if (answered.length === 0) {
    return (
      <EmptyState icon={<History aria-hidden />} title="Nothing was asked yet">
        Questions that were answered, withdrawn or left until their time was over are kept here.
      </EmptyState>
    );
  }
  return (
    <>
      <Card>
        <ul aria-label="Answered questions" className="divide-y divide-line">
          {answered.map((approval) => (
            <AnsweredRow key={approval.id} approval={approval} onOpen={() => setOpened(approval)} />
          ))}
        </ul>
      </Card>
      {isFull && limit < many && (
        <Button className="mt-3" busy={list.isPlaceholderData} onClick={() => setLimit(many)}>
          Show more
        </Button>
      )}
      <Dialog open={opened !== undefined} onClose={() => setOpened(undefined)} shape="side" title="What was asked">
        {opened && <ApprovalPanel approval={opened} />}
      </Dialog>
    </>
  );
}
