import { Play, RotateCcw } from 'lucide-react';
import type { Message } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useNow } from '../../components/times.tsx';
import { formatNumber } from '../../text/formats.ts';
import type { ChatActions } from './use-chat-actions.ts';

const endedTexts = {
  stopped: { title: 'Stopped', detail: 'You stopped this answer.' },
  interrupted: { title: 'Interrupted', detail: 'The gateway stopped during this answer.' },
  limited: { title: 'Limit reached', detail: 'The assistant reached one of its limits.' },
  error: { title: 'The answer failed', detail: 'The model did not answer.' },
};

export interface AnswerStatusProps {
  readonly message: Message;
  readonly isLast: boolean;
  readonly busy: boolean;
  readonly actions: ChatActions;
}

/** The status of an answer that is not complete, with buttons to continue or retry. */
export function AnswerStatus({ message, isLast, busy, actions }: AnswerStatusProps) {
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
