import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import { type Approval, api } from '../../api/client.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { nameOfCaller, outcomeOf } from '../../components/approval/labels.ts';
import { UndoButton } from '../../components/approval/RememberedAnswer.tsx';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button, ButtonLink } from '../../components/Button.tsx';
import { Card } from '../../components/Card.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SearchInput, Select } from '../../components/fields.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { TimeAgo } from '../../components/times.tsx';
import { filterApprovals } from './filter-approvals.ts';

const initialLimit = 100;
/** The maximum of the gateway. */
const maxLimit = 500;

/** The approvals that are no longer pending, newest first. */
export function AnsweredList() {
  const [limit, setLimit] = useState(initialLimit);
  const [opened, setOpened] = useState<Approval>();
  const [search, setSearch] = useState('');
  const [outcome, setOutcome] = useState('');
  const list = useQuery(answeredApprovalsQuery(limit));
  if (!list.data) return <QueryState query={list} what="answered approvals" />;
  const { answered, isFull } = list.data;
  if (answered.length === 0) {
    return (
      <EmptyState
        icon={History}
        title="No answered approvals yet"
        actions={<ButtonLink href="/approvals">Show pending approvals</ButtonLink>}
      >
        Approvals appear here once they are answered, withdrawn or expired.
      </EmptyState>
    );
  }
  const words = [...new Set(answered.map((approval) => outcomeOf(approval).word))].sort();
  const matching = filterApprovals(answered, search).filter(
    (approval) => outcome === '' || outcomeOf(approval).word === outcome,
  );
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <SearchInput
          label="Filter by tool, server or person"
          className="max-w-sm max-sm:max-w-none"
          value={search}
          onChange={setSearch}
        />
        <Select
          aria-label="Outcome"
          className="w-auto!"
          value={outcome}
          onChange={(event) => setOutcome(event.target.value)}
        >
          <option value="">All outcomes</option>
          {words.map((word) => (
            <option key={word}>{word}</option>
          ))}
        </Select>
      </div>
      <Card>
        {matching.length === 0 && <p className="px-4 py-6 text-center text-ink-soft">No matching approvals.</p>}
        <ul aria-label="Answered approvals" className="divide-y divide-line">
          {matching.map((approval) => (
            <AnsweredRow key={approval.id} approval={approval} onOpen={() => setOpened(approval)} />
          ))}
        </ul>
      </Card>
      {isFull && limit < maxLimit && (
        <Button className="mt-3" busy={list.isPlaceholderData} onClick={() => setLimit(maxLimit)}>
          Show more
        </Button>
      )}
      <Dialog open={opened !== undefined} onClose={() => setOpened(undefined)} shape="side" title="Approval details">
        {opened && <ApprovalPanel approval={opened} />}
      </Dialog>
    </>
  );
}

const answeredApprovalsQuery = (limit: number) =>
  queryOptions({
    queryKey: ['approvals', 'answered', limit],
    async queryFn({ signal }) {
      const { approvals } = await api.listApprovals({ query: { limit }, signal });
      return { answered: approvals.filter(({ status }) => status !== 'pending'), isFull: approvals.length === limit };
    },
    placeholderData: keepPreviousData,
  });

interface AnsweredRowProps {
  readonly approval: Approval;
  readonly onOpen: () => void;
}

function AnsweredRow({ approval, onOpen }: AnsweredRowProps) {
  const outcome = outcomeOf(approval);
  const reason = approval.answeredBy === 'withdrawal' ? undefined : approval.answer?.reason;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 px-4 py-2.5 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <StatusBadge tone={outcome.tone}>{outcome.word}</StatusBadge>
          <code className="min-w-0 font-semibold break-all">{safeText(approval.originalName, 120)}</code>
          {approval.server !== undefined && (
            <span className="text-ink-faint">{`on ${safeText(approval.server, 100)}`}</span>
          )}
        </p>
        <p className="mt-0.5 break-words text-ink-soft">
          {`${outcome.sentence} Called by ${nameOfCaller(approval.caller)}.`}
          {reason !== undefined && reason !== '' && <> “{safeText(reason, 300)}”</>}
        </p>
      </div>
      <div className="flex items-center gap-3 text-xs text-ink-faint">
        <TimeAgo at={approval.answeredAt ?? approval.askedAt} />
        <UndoButton approval={approval} />
        <Button look="quiet" size="small" onClick={onOpen}>
          Show details
        </Button>
        <TextLink href={`/calls/${encodeURIComponent(approval.callId)}`} className="font-medium">
          Open call
        </TextLink>
      </div>
    </li>
  );
}
