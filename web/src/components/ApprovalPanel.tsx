import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError, type Approval, type ApprovalAnswer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { text } from '../text/text.ts';
import { ApprovalAnswers, DenyForm, EditArguments } from './approval/ApprovalAnswers.tsx';
import { ApprovalFacts } from './approval/ApprovalFacts.tsx';
import { outcomeOf } from './approval/labels.ts';
import { TimeLeft } from './approval/TimeLeft.tsx';
import { Badge } from './Badge.tsx';
import { ErrorNotice, Notice } from './ErrorNotice.tsx';
import { QueryState } from './QueryState.tsx';
import { safeText } from './safe-text.ts';
import { useToast } from './Toasts.tsx';
import { useShortcuts } from './use-shortcuts.ts';

export interface ApprovalPanelProps {
  readonly approval: Approval;
  /** Called once it is answered, here or elsewhere. */
  readonly onAnswered?: () => void;
  /** Omits the caller and the tool, which are shown around it. */
  readonly compact?: boolean;
  /** Single keys answer; only where nothing else on the screen takes keys. */
  readonly shortcuts?: boolean;
}

/** One approval with all facts and answers. Use the approval's id as `key`. Lists shorten large arguments: the whole ones are loaded first. */
export function ApprovalPanel(props: ApprovalPanelProps) {
  return props.approval.isPreview ? <LargeApproval {...props} /> : <WholeApproval {...props} />;
}

function LargeApproval(props: ApprovalPanelProps) {
  const whole = useQuery(queries.approval(props.approval.id));
  if (!whole.data) return <QueryState query={whole} what={text.approvalPanel.approval} />;
  return <WholeApproval {...props} approval={whole.data} />;
}

function WholeApproval({ approval, onAnswered, compact = false, shortcuts = false }: ApprovalPanelProps) {
  return (
    <article
      aria-label={text.approvalPanel.approvalOf(safeText(approval.originalName, 80))}
      className="flex min-w-0 flex-col gap-3"
    >
      {!compact && (
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <h3 className="flex min-w-0 flex-wrap items-center gap-2">
            <code className="text-base break-all">{safeText(approval.originalName, 200)}</code>
            <Badge>
              {approval.server !== undefined && <Server aria-label={text.approvalPanel.server} />}
              {approval.server === undefined ? text.approvalPanel.localTool : safeText(approval.server, 100)}
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
  const ready = useReady();
  const answering = useAnswerApproval(approval, onAnswered);
  const isOver = answering.isPending || answering.isSuccess;
  const answer = (body: ApprovalAnswer) => answering.mutate(body);
  const choose = () => setMode('choose');
  useShortcuts(shortcuts && ready && !isOver && approval.mayAnswer && mode === 'choose', {
    a: () => answer({ answer: 'allow', scope: 'once' }),
    d: () => answer({ answer: 'deny', scope: 'once' }),
    e: () => setMode('edit'),
  });
  if (!approval.mayAnswer) return <Notice tone="info">{approverTexts[approval.approvers ?? 'admins']}</Notice>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {answering.isError && <ErrorNotice title={text.approvalPanel.answerRejected} error={answering.error} />}
      {mode === 'deny' && <DenyForm approval={approval} busy={isOver} onAnswer={answer} onBack={choose} />}
      {mode === 'edit' && <EditArguments approval={approval} busy={isOver} onAnswer={answer} onBack={choose} />}
      {mode === 'choose' && (
        <ApprovalAnswers
          approval={approval}
          sent={isOver ? answering.variables : undefined}
          disabled={isOver}
          ready={ready}
          shortcuts={shortcuts}
          onAnswer={answer}
          onDenyWithReason={() => setMode('deny')}
          onEdit={() => setMode('edit')}
        />
      )}
    </div>
  );
}

const approverTexts = {
  admins: text.approvalPanel.administratorMustAnswerCallers,
  owner: text.approvalPanel.ownerConversationAdministratorMust,
  client: text.approvalPanel.userCallingClientAdministrator,
} as const;

const readyAfterMs = 500;

/** False for a moment after the approval appears: a key or click may have been meant for what was there before. */
function useReady(): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), readyAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return ready;
}

/** Answers an approval. The first answer counts; a late one reports the answer that counted. */
function useAnswerApproval(approval: Approval, onAnswered: () => void) {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: ApprovalAnswer) => answer(approval, body),
    onSuccess({ late }) {
      if (late !== undefined) toast(late);
      removePending(client, approval.id);
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
    return {
      late: found
        ? text.approvalPanel.alreadyAnswered(outcomeOf(found).sentence)
        : text.approvalPanel.approvalNoLongerExists,
    };
  }
}

/** Removes the approval from the pending list at once, and then refetches. */
function removePending(client: QueryClient, id: string): void {
  client.setQueryData<readonly Approval[]>(['approvals', 'pending'], (pending) =>
    pending?.filter((one) => one.id !== id),
  );
  void client.invalidateQueries({ queryKey: ['approvals'] });
  void client.invalidateQueries({ queryKey: ['rules'] });
}
