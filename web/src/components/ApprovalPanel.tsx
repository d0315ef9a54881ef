import { Server } from 'lucide-react';
import { useState } from 'react';
import type { Approval, ApprovalAnswer } from '../api/client.ts';
import { ApprovalAnswers } from './approval/ApprovalAnswers.tsx';
import { ApprovalFacts } from './approval/ApprovalFacts.tsx';
import { DenyForm } from './approval/DenyForm.tsx';
import { EditArguments } from './approval/EditArguments.tsx';
import { outcomeOf } from './approval/outcome.ts';
import { TimeLeft } from './approval/TimeLeft.tsx';
import { useAnswerApproval } from './approval/use-answer-approval.ts';
import { useArmed } from './approval/use-armed.ts';
import { useShortcuts } from './approval/use-shortcuts.ts';
import { Badge } from './Badge.tsx';
import { ErrorNotice, Notice } from './ErrorNotice.tsx';
import { safeText } from './safe-text.ts';

export interface ApprovalPanelProps {
  readonly approval: Approval;
  /** Called once it is answered, here or by somebody who was faster. */
  readonly onAnswered?: () => void;
  /** Without who asks and about which tool: that stands around it. */
  readonly compact?: boolean;
  /** Whether single keys answer: only where nothing else is on the screen. */
  readonly shortcuts?: boolean;
}

/** One question to a person about a call, with everything needed to answer it. Give it a `key` of the question's id. */
export function ApprovalPanel({ approval, onAnswered, compact = false, shortcuts = false }: ApprovalPanelProps) {
  return (
    <article
      aria-label={`Question about ${safeText(approval.originalName, 80)}`}
      className="flex min-w-0 flex-col gap-3"
    >
      {!compact && (
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <h3 className="flex min-w-0 flex-wrap items-center gap-2">
            <code className="text-base break-all">{safeText(approval.originalName, 200)}</code>
            <Badge>
              {approval.server !== undefined && <Server aria-label="of server" />}
              {approval.server === undefined ? 'local tool' : safeText(approval.server, 100)}
            </Badge>
          </h3>
          {approval.status === 'pending' && <TimeLeft until={approval.expiresAt} queryKey="approvals" />}
        </header>
      )}
      <ApprovalFacts approval={approval} compact={compact} />
      {approval.status === 'pending' ? (
        <Answering approval={approval} shortcuts={shortcuts} onAnswered={() => onAnswered?.()} />
      ) : (
        <p className="text-ink-soft">{outcomeOf(approval).sentence}</p>
      )}
      {compact && approval.status === 'pending' && <TimeLeft until={approval.expiresAt} queryKey="approvals" />}
    </article>
  );
}

interface AnsweringProps {
  readonly approval: Approval;
  readonly shortcuts: boolean;
  readonly onAnswered: () => void;
}

function Answering({ approval, shortcuts, onAnswered }: AnsweringProps) {
  const [mode, setMode] = useState<'choose' | 'deny' | 'edit'>('choose');
  const armed = useArmed();
  const answering = useAnswerApproval(approval, onAnswered);
  const isOver = answering.isPending || answering.isSuccess;
  const answer = (body: ApprovalAnswer) => answering.mutate(body);
  const choose = () => setMode('choose');
  useShortcuts(shortcuts && armed && !isOver && approval.mayAnswer && mode === 'choose', {
    a: () => answer({ answer: 'allow', scope: 'once' }),
    d: () => answer({ answer: 'deny', scope: 'once' }),
    e: () => setMode('edit'),
  });
  if (!approval.mayAnswer) return <Notice tone="info">Somebody else has to answer this: an administrator.</Notice>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {answering.isError && <ErrorNotice title="The answer was not taken" error={answering.error} />}
      {mode === 'deny' && <DenyForm approval={approval} busy={isOver} onAnswer={answer} onBack={choose} />}
      {mode === 'edit' && <EditArguments approval={approval} busy={isOver} onAnswer={answer} onBack={choose} />}
      {mode === 'choose' && (
        <ApprovalAnswers
          approval={approval}
          sent={isOver ? answering.variables : undefined}
          disabled={!armed || isOver}
          shortcuts={shortcuts}
          onAnswer={answer}
          onDenyWithReason={() => setMode('deny')}
          onEdit={() => setMode('edit')}
        />
      )}
    </div>
  );
}
