import { RotateCcw } from 'lucide-react';
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
import { formatDuration } from '../../components/times.tsx';
import { AnswerStatus } from './AnswerStatus.tsx';
import { formatCount, textOf } from './message-text.ts';
import { Reasoning } from './Reasoning.tsx';
import type { ChatActions } from './use-chat-actions.ts';

export interface AssistantMessageProps {
  readonly message: Message;
  readonly isLast: boolean;
  /** Its tokens are not counted by the model but guessed. */
  readonly busy: boolean;
  readonly actions: ChatActions;
  /** What is asked about its calls and was put aside, by the id of the model's call. */
  readonly approvals: ReadonlyMap<string, Approval>;
  /** What servers ask in the middle of its calls. */
  readonly questions: readonly Question[];
}

/** An answer: what was thought, said and done, in that order, and how it ended. */
export const AssistantMessage = memo(function AssistantMessage(props: AssistantMessageProps) {
  const { message, isLast, busy, actions, approvals, questions } = props;
  const { parts, status } = message;
  const isStreaming = status === 'streaming';
  return (
    <article aria-label="Answer" className="flex min-w-0 flex-col gap-2.5">
      {parts.map((part, index) => (
        <PartView
          // biome-ignore lint/suspicious/noArrayIndexKey: a part stays where it is
          key={index}
          part={part}
          grows={isStreaming && index === parts.length - 1}
          approval={part.type === 'tool-call' ? approvals.get(part.id) : undefined}
          questions={part.type === 'tool-call' ? questions.filter(({ callId }) => callId === part.callId) : none}
        />
      ))}
      <AnswerStatus message={message} isLast={isLast} busy={busy} actions={actions} />
      {!isStreaming && <Footer {...props} />}
    </article>
  );
});

const none: readonly Question[] = [];

interface PartViewProps {
  readonly part: MessagePart;
  readonly grows: boolean;
  readonly approval: Approval | undefined;
  readonly questions: readonly Question[];
}

function PartView({ part, grows, approval, questions }: PartViewProps) {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <Markdown text={part.text} streaming={grows} />;
    case 'reasoning':
      return <Reasoning text={part.text} grows={grows} />;
    case 'tool-call':
      return <CallView call={part} approval={approval} questions={questions} />;
    case 'step':
      return null;
  }
}

function CallView({
  call,
  approval,
  questions,
}: Omit<PartViewProps, 'part' | 'grows'> & { readonly call: ToolCallPart }) {
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
  const [asks, setAsks] = useState(false);
  const { usage } = message;
  return (
    <footer className="-ml-1.5 flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-ink-faint">
      <span className="flex">
        <CopyButton text={() => textOf(message)} what="answer" />
        {(message.status === 'complete' || !isLast) && (
          <IconButton
            label="Answer again"
            size="small"
            disabled={busy}
            onClick={() => (isLast ? actions.retry(message.id) : setAsks(true))}
          >
            <RotateCcw aria-hidden />
          </IconButton>
        )}
      </span>
      {message.model !== undefined && <span className="break-all">{safeText(message.model, 100)}</span>}
      {usage && (
        <span title="Tokens the model read and wrote for this answer">
          {usage.estimated && 'about '}
          {formatCount(usage.inputTokens)} tokens in, {formatCount(usage.outputTokens)} out
        </span>
      )}
      {message.durationMs !== undefined && (
        <span title="How long the model and the tools worked; the time people thought is not in it">
          {formatDuration(message.durationMs)}
        </span>
      )}
      <ConfirmDialog
        open={asks}
        title="Answer this again?"
        action="Answer again"
        onClose={() => setAsks(false)}
        onConfirm={() => {
          setAsks(false);
          actions.retry(message.id);
        }}
      >
        This answer and everything after it are taken out of the conversation. What tools did stays done.
      </ConfirmDialog>
    </footer>
  );
}
