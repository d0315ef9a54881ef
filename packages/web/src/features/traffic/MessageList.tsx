import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import type { TrafficMessage } from '../../api/client.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Card } from '../../components/Card.tsx';
import { classNames } from '../../components/class-names.ts';
import { JsonView } from '../../components/JsonView.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { WindowList } from '../../components/WindowList.tsx';
import { formatBytes, formatDuration, formatTime } from '../../text/formats.ts';
import { isFailed, summarize } from './traffic-filter.ts';

export const directionTexts = { sent: 'To the server', received: 'From the server' };

const kindTexts = {
  request: 'request',
  result: 'result',
  error: 'error',
  notification: 'notification',
  failure: 'not delivered',
};

/** The messages as a virtualized list. A message shows its content when it is opened. */
export function MessageList({ messages }: { readonly messages: readonly TrafficMessage[] }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  return (
    <Card>
      <WindowList label="Messages" items={messages} keyOf={({ seq }) => seq} estimate={37}>
        {(message) => (
          <MessageRow
            message={message}
            isOpen={opened.has(message.seq)}
            onToggle={() => setOpened((before) => toggled(before, message.seq))}
          />
        )}
      </WindowList>
    </Card>
  );
}

interface MessageRowProps {
  readonly message: TrafficMessage;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function MessageRow({ message, isOpen, onToggle }: MessageRowProps) {
  const { at, direction, method, durationMs, bytes, callId, isTruncated, session, requestId } = message;
  const Arrow = direction === 'sent' ? ArrowUp : ArrowDown;
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        className="grid w-full grid-cols-[auto_auto_minmax(0,1fr)_auto] items-center gap-x-2 px-3 py-1.5 text-left -outline-offset-2 hover:bg-sunken sm:grid-cols-[5.5rem_1rem_minmax(0,16rem)_minmax(0,1fr)_auto] sm:gap-x-3"
        onClick={onToggle}
      >
        <time
          dateTime={at}
          title={formatTime(at)}
          className="text-xs text-ink-faint whitespace-nowrap tabular-nums max-sm:hidden"
        >
          {formatTime(at, {
            hour: '2-digit',
            minute: '2-digit',
            second: '2-digit',
            fractionalSecondDigits: 3,
            hourCycle: 'h23',
          })}
        </time>
        <Arrow
          aria-hidden
          className={classNames('size-3.5', direction === 'sent' ? 'text-accent-strong' : 'text-info')}
        />
        <span className="sr-only">{directionTexts[direction]}</span>
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-mono text-xs">{safeText(method ?? '(unknown method)', 100)}</span>
          <Badge tone={toneOf(message)}>{kindTexts[message.kind]}</Badge>
        </span>
        <span className="truncate text-xs text-ink-soft max-sm:hidden">{safeText(summarize(message), 200)}</span>
        <span className="text-right text-xs text-ink-faint tabular-nums">
          {durationMs === undefined ? formatBytes(bytes) : formatDuration(durationMs)}
        </span>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-2 px-3 pt-1 pb-3">
          <p className="flex flex-wrap gap-x-3 text-xs text-ink-soft">
            <span>{formatTime(at)}</span>
            <span>{formatBytes(bytes)}</span>
            <span>{`Session ${session}`}</span>
            {requestId !== undefined && <span>{`Request ${safeText(String(requestId), 100)}`}</span>}
            {callId !== undefined && (
              <TextLink href={`/calls/${encodeURIComponent(callId)}`} className="text-xs">
                Open call
              </TextLink>
            )}
          </p>
          {isTruncated && <p className="text-xs text-warn">This message is large. Only its beginning is shown.</p>}
          <JsonView value={message.message} what="message" maxHeight="28rem" />
        </div>
      )}
    </>
  );
}

function toneOf(message: TrafficMessage): Tone {
  if (isFailed(message)) return 'bad';
  if (message.topic === 'question') return 'warn';
  if (message.kind === 'notification') return 'info';
  return message.kind === 'result' ? 'good' : 'neutral';
}

function toggled(before: ReadonlySet<number>, item: number): ReadonlySet<number> {
  const after = new Set(before);
  if (!after.delete(item)) after.add(item);
  return after;
}
