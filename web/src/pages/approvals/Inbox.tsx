import { useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { Button } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { Spinner } from '../../components/Spinner.tsx';

// Each is read before it is answered; more than these nobody reads at a glance.
const step = 20;

/** Every question that waits, newest first, answered where it stands. */
export function Inbox() {
  const approvals = useQuery(queries.approvals('pending'));
  const questions = useQuery(queries.questions());
  const [shown, setShown] = useState(step);
  const start = useRef<HTMLDivElement>(null);
  const failed = [approvals, questions].find(({ isError }) => isError);
  if (failed) return <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!approvals.data || !questions.data) return <Spinner label="Looking for questions …" />;

  const waiting = approvals.data.toSorted((one, other) => other.askedAt.localeCompare(one.askedAt));
  const count = waiting.length + questions.data.length;
  return (
    <div ref={start} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <p role="status" className="sr-only">
        {count === 0
          ? 'Nothing waits for an answer.'
          : `${count} ${count === 1 ? 'question waits' : 'questions wait'}.`}
      </p>
      {count === 0 && (
        <EmptyState icon={<ShieldCheck aria-hidden />} title="Nothing waits for you">
          When a call needs a person's yes, it shows up here the moment it is made, whether it comes from the chat, an
          MCP client or a program.
        </EmptyState>
      )}
      {questions.data.map((question) => (
        <QuestionForm key={question.id} question={question} />
      ))}
      {waiting.slice(0, shown).map((approval) => (
        <Card key={approval.id} className="animate-appear p-4">
          {/* The button that had the focus is gone with its question. */}
          <ApprovalPanel approval={approval} onAnswered={() => start.current?.focus({ preventScroll: true })} />
        </Card>
      ))}
      {waiting.length > shown && (
        <Button className="self-center" onClick={() => setShown(shown + step)}>
          Show more ({waiting.length - shown} left)
        </Button>
      )}
    </div>
  );
}
