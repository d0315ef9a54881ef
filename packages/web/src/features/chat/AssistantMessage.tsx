import { useQuery } from '@tanstack/react-query';
import { Brain, Play, RotateCcw } from 'lucide-react';
import { memo, Suspense, useState } from 'react';
import type { Approval, Message, MessagePart, Question, ToolCallPart } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { AllowAll } from '../../components/approval/AllowAll.tsx';
import { RememberedAnswer } from '../../components/approval/RememberedAnswer.tsx';
import { ScriptCode } from '../../components/approval/ScriptCode.tsx';
import { Badge } from '../../components/Badge.tsx';
import { Button, IconButton } from '../../components/Button.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { ToolCallCard } from '../../components/ToolCallCard.tsx';
import { Duration, useNow } from '../../components/times.tsx';
import { CallStatus } from '../../pages/calls/CallStatus.tsx';
import { useSlot } from '../../shell/feature.ts';
import { formatDuration, formatNumber } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { describeTokens, formatCost, textOf } from './message-text.ts';
import type { ChatActions } from './use-chat-actions.ts';
import { VersionSwitch } from './VersionSwitch.tsx';

export interface AssistantMessageProps {
  readonly message: Message;
  readonly isLast: boolean;
  /** Whether its apps are open at first: those of the last answer that has any. */
  readonly opensApps: boolean;
  readonly busy: boolean;
  /** Whether no answer is running. */
  readonly isIdle: boolean;
  readonly actions: ChatActions;
  /** The pending approvals of its calls, by the id of the tool call. */
  readonly approvals: ReadonlyMap<string, readonly Approval[]>;
  /** The questions of servers during its calls. */
  readonly questions: readonly Question[];
}

/** An answer of the assistant: reasoning, text and tool calls in order, and its status. */
export const AssistantMessage = memo(function AssistantMessage(props: AssistantMessageProps) {
  const { message, isLast, busy, actions, approvals, questions } = props;
  const { parts, status } = message;
  const isStreaming = status === 'streaming';
  return (
    <article aria-label="Answer" className="flex min-w-0 flex-col gap-2.5">
      {parts.map((part, index) => (
        <PartView
          // biome-ignore lint/suspicious/noArrayIndexKey: parts do not move
          key={index}
          part={part}
          isGrowing={isStreaming && index === parts.length - 1}
          opensApps={props.opensApps}
          approvals={(part.type === 'tool-call' && approvals.get(part.id)) || noApprovals}
          questions={part.type === 'tool-call' ? questions.filter(({ callId }) => callId === part.callId) : noQuestions}
        />
      ))}
      <PendingCalls approvals={approvals} />
      <AnswerStatus message={message} isLast={isLast} busy={busy} actions={actions} />
      {!isStreaming && <Footer {...props} />}
    </article>
  );
});

/** Answers all pending calls of the answer together, if there are several that the person may answer. */
function PendingCalls({ approvals }: Pick<AssistantMessageProps, 'approvals'>) {
  const own = [...approvals.values()].flat().filter(({ mayAnswer }) => mayAnswer);
  if (own.length < 2) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-lg border border-warn/60 bg-warn-soft px-3 py-2">
      <p>{plural(own.length, { one: '# call awaits your approval.', other: '# calls await your approval.' })}</p>
      <AllowAll approvals={own} />
    </div>
  );
}

const noApprovals: readonly Approval[] = [];
const noQuestions: readonly Question[] = [];

interface PartViewProps {
  readonly part: MessagePart;
  readonly isGrowing: boolean;
  readonly opensApps: boolean;
  readonly approvals: readonly Approval[];
  readonly questions: readonly Question[];
}

function PartView({ part, isGrowing, opensApps, approvals, questions }: PartViewProps) {
  const ToolApp = useSlot('toolApp');
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <Markdown text={part.text} streaming={isGrowing} />;
    case 'reasoning':
      return <Reasoning content={part.text} isGrowing={isGrowing} />;
    case 'tool-call':
      return (
        <>
          <CallView call={part} approvals={approvals} questions={questions} />
          {ToolApp && part.app !== undefined && part.callId !== undefined && (
            <Suspense>
              <ToolApp callId={part.callId} opens={opensApps} />
            </Suspense>
          )}
        </>
      );
    case 'attachment':
    case 'app':
    case 'step':
      return null;
  }
}

/** The reasoning of the model, collapsed until opened. */
function Reasoning({ content, isGrowing }: { readonly content: string; readonly isGrowing: boolean }) {
  const [open, setOpen] = useState(false);
  if (content.trim() === '') return null;
  return (
    <details className="min-w-0 text-ink-soft" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-flex cursor-pointer items-center gap-1.5 rounded text-xs text-ink-faint hover:text-ink">
        <Brain aria-hidden className="size-3.5" />
        {isGrowing ? 'Thinking …' : 'Reasoning'}
      </summary>
      {open && (
        <div className="mt-1.5 border-l-2 border-line pl-3">
          <Markdown text={content} streaming={isGrowing} />
        </div>
      )}
    </details>
  );
}

function CallView({
  call,
  approvals,
  questions,
}: Pick<PartViewProps, 'approvals' | 'questions'> & { readonly call: ToolCallPart }) {
  const { answered } = call;
  const isRemembered = answered !== undefined && answered.scope !== 'once' && answered.scope !== 'flow';
  const steps = (mayHaveSteps(call) || isRemembered) && (
    <>
      {mayHaveSteps(call) && <CallSteps call={call} />}
      {isRemembered && (
        <div className="px-3 pb-2">
          <RememberedAnswer approval={answered.approval} />
        </div>
      )}
    </>
  );
  if (approvals.length === 0 && questions.length === 0) return <ToolCallCard call={call} steps={steps} />;
  return (
    <ToolCallCard call={call} steps={steps}>
      {approvals.some(({ script }) => script?.call === call.callId) && <ScriptCode script={call.callId ?? ''} />}
      {approvals.map((approval) => (
        // The card shows the tool of its own call, but not those of a script's calls.
        <ApprovalPanel key={approval.id} approval={approval} compact={approval.callId === call.callId} />
      ))}
      {questions.map((question) => (
        <QuestionForm key={question.id} question={question} />
      ))}
    </ToolCallCard>
  );
}

function Footer({ message, isLast, busy, isIdle, actions }: AssistantMessageProps) {
  const { usage, costUsd } = message;
  return (
    <footer className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-ink-faint">
      <span className="-ml-1.5 flex">
        <VersionSwitch message={message} disabled={busy || !isIdle} onSelect={actions.select} />
        <CopyButton text={() => textOf(message)} what="answer" />
        {(message.status === 'complete' || !isLast) && (
          <IconButton
            label="Retry answer"
            size="small"
            disabled={busy}
            onClick={() => actions.retry(message.id)}
            icon={RotateCcw}
          />
        )}
      </span>
      {message.model !== undefined && <span className="break-all">{safeText(message.model, 100)}</span>}
      {usage && usage.inputTokens + usage.outputTokens > 0 && (
        <span title="Input and output tokens of this answer">{describeTokens(usage)}</span>
      )}
      {costUsd !== undefined && (
        <span title="By the prices that are configured for the model">{formatCost(costUsd, usage?.estimated)}</span>
      )}
      {message.durationMs !== undefined && (
        <span title="Time spent by the model and the tools, without waiting for people">
          {formatDuration(message.durationMs)}
        </span>
      )}
    </footer>
  );
}

/** Whether a call may have made others: chains and scripts belong to no server. */
function mayHaveSteps({ server, callId, startedAt }: ToolCallPart): boolean {
  return server === undefined && callId !== undefined && startedAt !== undefined;
}

/** The calls that a chain or a script has made, in order. */
function CallSteps({ call: { callId = '', originalName, name } }: { readonly call: ToolCallPart }) {
  const { data } = useQuery(queries.childCalls(callId));
  if (!data || data.calls.length === 0) return null;
  return (
    <div className="border-t border-line px-3 py-2">
      <ol aria-label={`Calls of ${safeText(originalName ?? name, 120)}`} className="flex flex-col gap-1">
        {data.calls.map((step) => (
          <li key={step.id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <TextLink href={`/calls/${encodeURIComponent(step.id)}`} className="min-w-0 font-mono text-xs break-all">
              {safeText(step.originalName, 120)}
            </TextLink>
            {step.server !== undefined && <Badge>{safeText(step.server, 100)}</Badge>}
            <span className="ml-auto flex items-center gap-2 text-xs text-ink-faint">
              {step.startedAt !== undefined && <Duration from={step.startedAt} to={step.completedAt} />}
              <CallStatus call={step} />
            </span>
          </li>
        ))}
      </ol>
      {data.hasMore && (
        <p className="mt-1 text-xs text-ink-faint">{`The last ${formatNumber(data.calls.length)} calls are shown.`}</p>
      )}
    </div>
  );
}

const endedTexts = {
  stopped: { title: 'Stopped', detail: 'You stopped this answer.' },
  interrupted: { title: 'Interrupted', detail: 'The gateway stopped during this answer.' },
  limited: { title: 'Limit reached', detail: 'The assistant reached one of its limits.' },
  error: { title: 'The answer failed', detail: 'The model did not answer.' },
};

interface AnswerStatusProps {
  readonly message: Message;
  readonly isLast: boolean;
  readonly busy: boolean;
  readonly actions: ChatActions;
}

/** The status of an answer that is not complete, with buttons to continue or retry. */
function AnswerStatus({ message, isLast, busy, actions }: AnswerStatusProps) {
  const { status, parts, problem } = message;
  if (status === 'complete') return null;
  if (status === 'streaming') return <Working message={message} />;
  const canContinue = isLast && (status !== 'error' || parts.length > 0);
  return (
    <Notice
      tone={status === 'error' ? 'bad' : status === 'stopped' ? 'info' : 'warn'}
      title={endedTexts[status].title}
      actions={
        isLast && (
          <>
            {canContinue && (
              <Button size="small" disabled={busy} onClick={actions.resume} icon={Play}>
                Continue
              </Button>
            )}
            <Button size="small" disabled={busy} onClick={() => actions.retry(message.id)} icon={RotateCcw}>
              Retry
            </Button>
          </>
        )
      }
    >
      {problem === undefined ? endedTexts[status].detail : safeText(problem, 1_000)}
    </Notice>
  );
}

/** Shows what the answer waits for. A running call shows its own status. */
function Working({ message: { parts, waitsFor, model } }: { readonly message: Message }) {
  const now = useNow(1_000, waitsFor !== undefined);
  const last = parts.at(-1);
  const isCalling = last?.type === 'tool-call' && ['waiting', 'asked', 'running'].includes(last.status);
  if (isCalling) return null;
  return (
    <p className="flex items-center gap-1.5 text-xs text-ink-faint">
      <span aria-hidden className="size-2 animate-pulse-soft rounded-full bg-accent" />
      {waitsFor ? describeWait(waitsFor, model, now) : last?.type === 'text' ? 'Writing …' : 'Thinking …'}
    </p>
  );
}

const silenceMs = 3_000;

function describeWait(wait: NonNullable<Message['waitsFor']>, model: string | undefined, now: number): string {
  if (wait.what === 'retry') {
    const seconds = Math.max(0, Math.ceil((Date.parse(wait.until) - now) / 1_000));
    return `${safeText(wait.reason, 100)}. Next attempt in ${formatNumber(seconds)} s.`;
  }
  const elapsedMs = now - Date.parse(wait.since);
  if (elapsedMs < silenceMs) return 'Thinking …';
  return `Waiting for ${safeText(model ?? 'the model', 100)} … ${formatNumber(Math.floor(elapsedMs / 1_000))} s`;
}
