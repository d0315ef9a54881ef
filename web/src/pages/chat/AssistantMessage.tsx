import { Brain, RotateCcw } from 'lucide-react';
import { memo, useState } from 'react';
import type { Approval, Message, MessagePart, Question, ToolCallPart } from '../../api/client.ts';
import { ApprovalPanel } from '../../components/ApprovalPanel.tsx';
import { IconButton } from '../../components/Button.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { CopyButton } from '../../components/CopyButton.tsx';
import { Markdown } from '../../components/Markdown.tsx';
import { QuestionForm } from '../../components/QuestionForm.tsx';
import { safeText } from '../../components/safe-text.ts';
import { ToolCallCard } from '../../components/ToolCallCard.tsx';
import { formatDuration } from '../../text/formats.ts';
import { AnswerStatus } from './AnswerStatus.tsx';
import { formatCount, textOf } from './message-text.ts';
import type { ChatActions } from './use-chat-actions.ts';

export interface AssistantMessageProps {
  readonly message: Message;
  readonly isLast: boolean;
  readonly busy: boolean;
  readonly actions: ChatActions;
  /** The deferred approvals of its calls, by the id of the tool call. */
  readonly approvals: ReadonlyMap<string, Approval>;
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
          approval={part.type === 'tool-call' ? approvals.get(part.id) : undefined}
          questions={part.type === 'tool-call' ? questions.filter(({ callId }) => callId === part.callId) : noQuestions}
        />
      ))}
      <AnswerStatus message={message} isLast={isLast} busy={busy} actions={actions} />
      {!isStreaming && <Footer {...props} />}
    </article>
  );
});

const noQuestions: readonly Question[] = [];

interface PartViewProps {
  readonly part: MessagePart;
  readonly isGrowing: boolean;
  readonly approval: Approval | undefined;
  readonly questions: readonly Question[];
}

function PartView({ part, isGrowing, approval, questions }: PartViewProps) {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <Markdown text={part.text} streaming={isGrowing} />;
    case 'reasoning':
      return <Reasoning text={part.text} isGrowing={isGrowing} />;
    case 'tool-call':
      return <CallView call={part} approval={approval} questions={questions} />;
    case 'step':
      return null;
  }
}

/** The reasoning of the model, collapsed until opened. */
function Reasoning({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  const [open, setOpen] = useState(false);
  if (text.trim() === '') return null;
  return (
    <details className="min-w-0 text-ink-soft" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-flex cursor-pointer items-center gap-1.5 rounded text-xs text-ink-faint hover:text-ink">
        <Brain aria-hidden className="size-3.5" />
        {isGrowing ? 'Thinking …' : 'Reasoning'}
      </summary>
      {open && (
        <div className="mt-1.5 border-l-2 border-line pl-3">
          <Markdown text={text} streaming={isGrowing} />
        </div>
      )}
    </details>
  );
}

function CallView({
  call,
  approval,
  questions,
}: Omit<PartViewProps, 'part' | 'isGrowing'> & { readonly call: ToolCallPart }) {
  if (approval === undefined && questions.length === 0) return <ToolCallCard call={call} />;
  return (
    <ToolCallCard call={call}>
      {approval !== undefined && <ApprovalPanel approval={approval} compact />}
      {questions.map((question) => (
        <QuestionForm key={question.id} question={question} />
      ))}
    </ToolCallCard>
  );
}

function Footer({ message, isLast, busy, actions }: AssistantMessageProps) {
  const [confirms, setConfirms] = useState(false);
  const { usage } = message;
  return (
    <footer className="-ml-1.5 flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-ink-faint">
      <span className="flex">
        <CopyButton text={() => textOf(message)} what="answer" />
        {(message.status === 'complete' || !isLast) && (
          <IconButton
            label="Retry answer"
            size="small"
            disabled={busy}
            onClick={() => (isLast ? actions.retry(message.id) : setConfirms(true))}
          >
            <RotateCcw aria-hidden />
          </IconButton>
        )}
      </span>
      {message.model !== undefined && <span className="break-all">{safeText(message.model, 100)}</span>}
      {usage && (
        <span title="Input and output tokens of this answer">
          {usage.estimated && 'about '}
          {formatCount(usage.inputTokens)} tokens in, {formatCount(usage.outputTokens)} out
        </span>
      )}
      {message.durationMs !== undefined && (
        <span title="Time spent by the model and the tools, without waiting for people">
          {formatDuration(message.durationMs)}
        </span>
      )}
      <ConfirmDialog
        open={confirms}
        title="Retry this answer?"
        action="Retry"
        onClose={() => setConfirms(false)}
        onConfirm={() => {
          setConfirms(false);
          actions.retry(message.id);
        }}
      >
        This answer and everything after it will be removed from the conversation. Effects of tool calls are not undone.
      </ConfirmDialog>
    </footer>
  );
}
