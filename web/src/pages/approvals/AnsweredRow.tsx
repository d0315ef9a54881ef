import { Link } from 'wouter';
import type { Approval } from '../../api/client.ts';
import { nameOfCaller } from '../../components/approval/caller-words.ts';
import { outcomeOf } from '../../components/approval/outcome.ts';
import { StatusBadge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TimeAgo } from '../../components/times.tsx';

export interface AnsweredRowProps {
  readonly approval: Approval;
  readonly onOpen: () => void;
}

/** One question that is over, in two lines. */
export function AnsweredRow({ approval, onOpen }: AnsweredRowProps) {
  const outcome = outcomeOf(approval);
  const reason = approval.answeredBy === 'withdrawal' ? undefined : approval.answer?.reason;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 px-4 py-2.5 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <StatusBadge tone={outcome.tone}>{outcome.word}</StatusBadge>
          <code className="min-w-0 font-semibold break-all">{safeText(approval.originalName, 120)}</code>
          {approval.server !== undefined && <span className="text-ink-faint">of {safeText(approval.server, 100)}</span>}
        </p>
        <p className="mt-0.5 break-words text-ink-soft">
          {outcome.sentence} Asked by {nameOfCaller(approval.caller)}.
          {reason !== undefined && reason !== '' && <> “{safeText(reason, 300)}”</>}
        </p>
      </div>
      <div className="flex items-center gap-3 text-xs text-ink-faint">
        <TimeAgo at={approval.answeredAt ?? approval.askedAt} />
        <Button look="quiet" size="small" onClick={onOpen}>
          Details
        </Button>
        <Link
          href={`/calls/${encodeURIComponent(approval.callId)}`}
          className="font-medium text-accent-strong underline underline-offset-2"
        >
          Call
        </Link>
      </div>
    </li>
  );
}
