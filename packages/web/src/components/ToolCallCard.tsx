import { ChevronRight, Wrench } from 'lucide-react';
import { memo, type ReactNode, useId, useState } from 'react';
import type { ToolCallPart } from '../api/client.ts';
import { Badge, StatusBadge, type Tone } from './Badge.tsx';
import { ContentView } from './ContentView.tsx';
import { classNames } from './class-names.ts';
import { isRecord } from './is-record.ts';
import { JsonView } from './JsonView.tsx';
import { Progress } from './Progress.tsx';
import { safeText } from './safe-text.ts';
import { TextLink } from './TextLink.tsx';
import { Duration } from './times.tsx';

const statusTexts = {
  waiting: 'waiting',
  asked: 'needs your approval',
  running: 'running',
  success: 'done',
  error: 'failed',
  denied: 'denied',
  expired: 'no answer',
  cancelled: 'cancelled',
  unknown: 'outcome unknown',
};

export interface ToolCallCardProps {
  readonly call: ToolCallPart;
  /** The calls that the call has made, always visible. */
  readonly steps?: ReactNode;
  /** The pending approval or question, always visible. */
  readonly children?: ReactNode;
}

const tones: Readonly<Record<ToolCallPart['status'], Tone>> = {
  waiting: 'neutral',
  asked: 'warn',
  running: 'info',
  success: 'good',
  error: 'bad',
  denied: 'warn',
  expired: 'neutral',
  cancelled: 'neutral',
  unknown: 'warn',
};

/** A tool call while it happens: tool, server, arguments, progress and result. */
export const ToolCallCard = memo(function ToolCallCard({ call, steps, children }: ToolCallCardProps) {
  const [chosen, setChosen] = useState<boolean>();
  const id = useId();
  const { status, result } = call;
  // A call that needs approval is opened; a finished one can be opened.
  const open = chosen ?? (status === 'asked' && children === undefined);
  const name = safeText(call.originalName ?? call.name, 120);
  const isLive = status === 'waiting' || status === 'asked' || status === 'running';
  return (
    <article
      aria-label={`Call of ${name}`}
      data-status={status}
      className={classNames(
        'min-w-0 rounded-lg border bg-surface',
        status === 'asked' ? 'border-warn/60' : status === 'error' ? 'border-bad/40' : 'border-line',
      )}
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setChosen(!open)}
        className="flex w-full flex-wrap items-center gap-x-2 gap-y-1 rounded-lg px-3 py-2 text-left hover:bg-sunken/60"
      >
        <Wrench aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
        <span className="min-w-0 font-mono text-xs font-semibold break-all">{name}</span>
        {call.server !== undefined && (
          <Badge className="min-w-0 whitespace-normal! break-all">{safeText(call.server, 100)}</Badge>
        )}
        {!open && children === undefined && (
          <span aria-hidden className="min-w-0 flex-1 basis-24 truncate font-mono text-xs text-ink-faint max-sm:hidden">
            {summaryOf(call.arguments)}
          </span>
        )}
        <span className="ml-auto flex items-center gap-2">
          {call.startedAt !== undefined && (!isLive || status === 'running') && (
            <span className="text-xs text-ink-faint">
              <Duration from={call.startedAt} to={status === 'running' ? undefined : call.completedAt} />
            </span>
          )}
          {call.rule !== undefined && call.answered === undefined && <Badge>by rule</Badge>}
          <StatusBadge tone={tones[status]} pulsing={status === 'running'}>
            {statusTexts[status]}
          </StatusBadge>
          <ChevronRight
            aria-hidden
            className={classNames('size-4 text-ink-faint transition-transform', open && 'rotate-90')}
          />
        </span>
      </button>
      {status === 'running' && call.progress && (
        <div className="px-3 pb-2">
          <Progress progress={call.progress} />
        </div>
      )}
      {!open && <Preview call={call} />}
      <div id={id} hidden={!open} className="flex flex-col gap-3 border-t border-line px-3 py-3">
        {open && (
          <>
            <Part title="Arguments">
              <JsonView value={call.arguments} what="arguments" maxHeight="16rem" />
            </Part>
            {result && (
              <Part title={result.isError ? 'Error' : 'Result'}>
                <ContentView result={result} truncated={result.cut} callId={call.callId} server={call.server} />
              </Part>
            )}
            {call.rule !== undefined && (
              <p className="text-xs text-ink-soft">
                This call ran without approval: it was{' '}
                <TextLink href={`/approvals?tab=rules&rule=${encodeURIComponent(call.rule ?? '')}`}>
                  allowed by a rule
                </TextLink>
                .
              </p>
            )}
            {call.callId !== undefined && (
              <TextLink href={`/calls/${call.callId}`} className="self-start text-xs">
                View call details
              </TextLink>
            )}
          </>
        )}
      </div>
      {steps}
      {children !== undefined && <div className="border-t border-line px-3 py-3">{children}</div>}
    </article>
  );
});

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-xs font-semibold text-ink-soft">{title}</p>
      {children}
    </div>
  );
}

/** The arguments in one line, shortened. */
function summaryOf(args: ToolCallPart['arguments']): string {
  const shown = Object.entries(args).slice(0, 5);
  const words = shown.map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value.slice(0, 200) : shortJson(value)}`,
  );
  return safeText(words.join(', ').slice(0, 300)).replaceAll(/\s+/g, ' ');
}

function shortJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  return isRecord(value) ? '{…}' : (JSON.stringify(value) ?? String(value));
}

/** The beginning of the result in one line. */
function Preview({ call: { status, result } }: { readonly call: ToolCallPart }) {
  const first = result?.content.find(({ type, text: plain }) => type === 'text' && typeof plain === 'string');
  const full = typeof first?.text === 'string' ? first.text : '';
  const plain = `${safeText(full.slice(0, 300))}${full.length > 300 ? ' …' : ''}`.trim();
  if (!result || plain === '') return null;
  return (
    // Padding inside a clamped element would show the top of the next line.
    <div className="-mt-0.5 px-3 pb-2 text-xs">
      <p
        className={classNames(
          'break-words',
          result.isError && status !== 'cancelled'
            ? classNames('line-clamp-3 whitespace-pre-line', status === 'error' ? 'text-bad' : 'text-ink-soft')
            : 'line-clamp-1 text-ink-faint',
        )}
      >
        {plain}
      </p>
    </div>
  );
}
