import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Server } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { answerKeys } from '../../../contract/approvals.ts';
import { hasRawJson } from '../../../contract/exact-json.ts';
import { ApiError, type Approval, type ApprovalAnswer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { ArgumentsView } from './ArgumentsView.tsx';
import {
  ApprovalAnswers,
  DenyForm,
  EditArguments,
  lastingAnswers,
  mayAllowFlow,
  mayEdit,
} from './approval/ApprovalAnswers.tsx';
import { kindOfCaller, nameOfCaller, outcomeOf } from './approval/labels.ts';
import { describeRemembered, UndoButton, useForgetAnswer } from './approval/RememberedAnswer.tsx';
import { ServerClaims } from './approval/ServerClaims.tsx';
import { TimeLeft } from './approval/TimeLeft.tsx';
import { Badge } from './Badge.tsx';
import { DataFlows } from './DataFlows.tsx';
import { DefinitionDifference } from './DefinitionDifference.tsx';
import { ErrorNotice, Notice } from './ErrorNotice.tsx';
import { Description } from './ExpandableText.tsx';
import { QueryState } from './QueryState.tsx';
import { safeText } from './safe-text.ts';
import { TextLink } from './TextLink.tsx';
import { useToast } from './Toasts.tsx';
import { useShortcuts } from './use-shortcuts.ts';

export interface ApprovalPanelProps {
  readonly approval: Approval;
  /** Called once it is answered, here or elsewhere. */
  readonly onAnswered?: () => void;
  /** Omits the caller and the tool, which are shown around it. */
  readonly compact?: boolean;
  /** Keys answer wherever the focus is: only where nothing else on the screen takes keys. Otherwise the focus must be in the panel. */
  readonly takesAllKeys?: boolean;
  /** Shows the answers; true. Without them, what is around the panel answers. */
  readonly answers?: boolean;
}

/** One approval with all facts and answers. Use the approval's id as `key`. Lists shorten large arguments: the whole ones are loaded first. */
export function ApprovalPanel(props: ApprovalPanelProps) {
  return props.approval.isPreview ? <LargeApproval {...props} /> : <WholeApproval {...props} />;
}

function LargeApproval(props: ApprovalPanelProps) {
  const whole = useQuery(queries.approval(props.approval.id));
  if (!whole.data) return <QueryState query={whole} what="approval" />;
  return <WholeApproval {...props} approval={whole.data} />;
}

function WholeApproval({
  approval,
  onAnswered,
  compact = false,
  takesAllKeys = false,
  answers = true,
}: ApprovalPanelProps) {
  const panel = useRef<HTMLElement>(null);
  const isPending = approval.status === 'pending';
  return (
    <article
      ref={panel}
      tabIndex={isPending ? -1 : undefined}
      data-approval={isPending ? approval.id : undefined}
      aria-label={`Approval of ${safeText(approval.originalName, 80)}`}
      className="group/approval flex min-w-0 scroll-mt-20 flex-col gap-3 rounded-md outline-offset-8"
    >
      {!compact && (
        <header className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <h2 className="flex min-w-0 flex-wrap items-center gap-2">
            <code className="text-base break-all">{safeText(approval.originalName, 200)}</code>
            <Badge>
              {approval.server !== undefined && <Server aria-label="of server" />}
              {approval.server === undefined ? 'local tool' : safeText(approval.server, 100)}
            </Badge>
          </h2>
          {isPending && <TimeLeft until={approval.expiresAt} queryKey="approvals" />}
        </header>
      )}
      <ApprovalFacts approval={approval} compact={compact} />
      {isPending && answers && (
        <Answering
          approval={approval}
          keysWithin={takesAllKeys ? undefined : panel}
          offersUndo={!compact}
          onAnswered={() => onAnswered?.()}
        />
      )}
      {!isPending && (
        <div className="flex flex-wrap items-center gap-2 text-ink-soft">
          <p>{outcomeOf(approval).sentence}</p>
          <UndoButton approval={approval} />
        </div>
      )}
      {compact && isPending && <TimeLeft until={approval.expiresAt} queryKey="approvals" />}
    </article>
  );
}

interface AnsweringProps {
  readonly approval: Approval;
  /** Where the focus must be for the keys; undefined: anywhere. */
  readonly keysWithin: RefObject<HTMLElement | null> | undefined;
  /** Says what is remembered, and offers to take it back. */
  readonly offersUndo: boolean;
  readonly onAnswered: () => void;
}

function Answering({ approval, keysWithin, offersUndo, onAnswered }: AnsweringProps) {
  const [mode, setMode] = useState<'choose' | 'deny' | 'edit'>('choose');
  const ready = useReady();
  const answering = useAnswerApproval(approval, offersUndo, onAnswered);
  const isOver = answering.isPending || answering.isSuccess;
  const answer = (body: ApprovalAnswer) => answering.mutate(body);
  const choose = () => setMode('choose');
  const lasting = lastingAnswers(approval).filter(({ audience }) => audience !== 'everyone');
  useShortcuts(
    ready && !isOver && approval.mayAnswer && mode === 'choose',
    {
      [answerKeys.once]: () => answer({ answer: 'allow', scope: 'once' }),
      [answerKeys.deny]: () => answer({ answer: 'deny', scope: 'once' }),
      ...(mayEdit(approval) && { [answerKeys.edit]: () => setMode('edit') }),
      ...(mayAllowFlow(approval) && { [answerKeys.flow]: () => answer({ answer: 'allow', scope: 'flow' }) }),
      ...Object.fromEntries(
        lasting.map(({ reach }) => [answerKeys[reach.scope], () => answer({ answer: 'allow', ...reach })]),
      ),
    },
    keysWithin,
  );
  if (!approval.mayAnswer) return <Notice tone="info">{describeApprovers(approval)}</Notice>;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {answering.isError && <ErrorNotice title="The answer was rejected" error={answering.error} />}
      {mode === 'deny' && <DenyForm approval={approval} busy={isOver} onAnswer={answer} onBack={choose} />}
      {mode === 'edit' && <EditArguments approval={approval} busy={isOver} onAnswer={answer} onBack={choose} />}
      {mode === 'choose' && (
        <ApprovalAnswers
          approval={approval}
          sent={isOver ? answering.variables : undefined}
          disabled={isOver}
          ready={ready}
          keysNeedFocus={keysWithin !== undefined}
          onAnswer={answer}
          onDenyWithReason={() => setMode('deny')}
          onEdit={() => setMode('edit')}
        />
      )}
    </div>
  );
}

/** Who answers instead of the reader. Only administrators accept a changed definition. */
function describeApprovers({ approvers = 'admins', change }: Approval): string {
  if (change) return 'An administrator must answer this: the definition of the tool changed.';
  return approverTexts[approvers];
}

const approverTexts = {
  admins: 'An administrator or an approver must answer this. Callers cannot approve their own calls.',
  owner: 'The owner of the conversation, an administrator or an approver must answer this.',
  client: 'The user of the calling client, an administrator or an approver must answer this.',
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
function useAnswerApproval(approval: Approval, offersUndo: boolean, onAnswered: () => void) {
  const client = useQueryClient();
  const toast = useToast();
  const forgetting = useForgetAnswer();
  return useMutation({
    mutationFn: (body: ApprovalAnswer) => answer(approval, body),
    onSuccess({ late }, body) {
      const { answer: given, scope = 'once' } = body;
      if (late !== undefined) toast(late);
      else if (scope === 'flow') toast('Remembered for this data, this tool and this conversation.');
      else if (approval.access !== undefined && scope !== 'once')
        toast('Remembered. The tab Sandbox of the server lists the host.');
      else if (scope !== 'once' && offersUndo) {
        const answered = { ...approval, answer: { ...body, kind: given } };
        toast(describeRemembered({ ...answered, answeredBy: 'You' }, 'You'), {
          label: 'Undo',
          run: () => forgetting.mutate(approval.id),
        });
      }
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
      late: found ? `Already answered: ${outcomeOf(found).sentence}` : 'This approval no longer exists.',
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

interface ApprovalFactsProps {
  readonly approval: Approval;
  /** Omits the caller and the tool, which are shown around it. */
  readonly compact?: boolean;
}

/** The facts of an approval: caller, reason, claims of the server, changes of the definition, arguments. */
function ApprovalFacts({ approval, compact = false }: ApprovalFactsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {!compact && (
        <p className="break-words text-ink-soft">
          <Request approval={approval} />
        </p>
      )}
      {compact && (
        <p className="text-xs break-words text-ink-soft">{`Approval is needed because ${safeText(approval.reason)}.`}</p>
      )}
      {approval.description !== '' && !compact && <Description text={approval.description} />}
      {approval.flows && <DataFlows flows={approval.flows} server={approval.server} tool={approval.originalName} />}
      <ServerClaims annotations={approval.annotations} />
      {approval.change && (
        <Notice tone="warn" title="The definition changed since it was accepted">
          <div className="mt-2">
            <DefinitionDifference changes={approval.change} />
          </div>
        </Notice>
      )}
      <div className="flex min-w-0 flex-col gap-1">
        <p className="text-xs text-ink-soft">Arguments</p>
        {!hasRawJson && (
          <Notice tone="warn" title="This browser rounds large numbers">
            Update the browser to see all digits: Chrome 114, Firefox 135 and Safari 18.4 show them.
          </Notice>
        )}
        <ArgumentsView value={approval.arguments} />
      </div>
    </div>
  );
}

/** The caller, the place of the call, and the reason for the approval. */
function Request({ approval: { caller, reason } }: { readonly approval: Approval }) {
  const name = <strong className="font-semibold text-ink">{nameOfCaller(caller)}</strong>;
  const { conversation } = caller;
  if (conversation === undefined)
    return (
      <>
        Requested by {name} ({kindOfCaller(caller)}), because {safeText(reason)}.
      </>
    );
  return (
    <>
      Requested by {name} ({kindOfCaller(caller)}) in{' '}
      <TextLink href={`/chat/${encodeURIComponent(conversation)}`}>a conversation</TextLink>, because {safeText(reason)}
      .
    </>
  );
}
