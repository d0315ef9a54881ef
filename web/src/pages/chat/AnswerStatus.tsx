import { Play, RotateCcw } from 'lucide-react';
import type { Message } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import type { ChatActions } from './use-chat-actions.ts';

export interface AnswerStatusProps {
  readonly message: Message;
  readonly isLast: boolean;
  readonly busy: boolean;
  readonly actions: ChatActions;
}

const titles = {
  stopped: 'Stopped',
  interrupted: 'Interrupted',
  limited: 'Not finished',
  error: 'The answer failed',
} as const;

const sentences = {
  stopped: 'You ended this answer before it was complete.',
  interrupted: 'The gateway ended in the middle of this answer.',
  limited: 'The assistant reached one of its limits.',
  error: 'The model did not answer.',
} as const;

/** How an answer is doing, when there is something to say about it, and the way on. */
export function AnswerStatus({ message, isLast, busy, actions }: AnswerStatusProps) {
  const { status, parts, problem } = message;
  if (status === 'complete') return null;
  if (status === 'streaming') return <Working parts={parts} />;
  const mayContinue = isLast && (status !== 'error' || parts.length > 0);
  return (
    <Notice
      tone={status === 'error' ? 'bad' : status === 'stopped' ? 'info' : 'warn'}
      title={titles[status]}
      {...(isLast && {
        actions: (
          <>
            {mayContinue && (
              <Button size="small" disabled={busy} onClick={actions.resume}>
                <Play aria-hidden />
                Continue
              </Button>
            )}
            <Button size="small" disabled={busy} onClick={() => actions.retry(message.id)}>
              <RotateCcw aria-hidden />
              Retry
            </Button>
          </>
        ),
      })}
    >
      {problem === undefined ? sentences[status] : safeText(problem, 1_000)}
    </Notice>
  );
}

/** That something is being done, as quietly as possible; a call tells for itself. */
function Working({ parts }: { readonly parts: Message['parts'] }) {
  const last = parts.at(-1);
  const isCalling = last?.type === 'tool-call' && ['waiting', 'asked', 'running'].includes(last.status);
  if (isCalling) return null;
  return (
    <p className="flex items-center gap-1.5 text-xs text-ink-faint">
      <span aria-hidden className="size-2 animate-pulse-soft rounded-full bg-accent" />
      {last?.type === 'text' ? 'Writing …' : 'Thinking …'}
    </p>
  );
}
