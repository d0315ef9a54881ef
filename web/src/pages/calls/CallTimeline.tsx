import { useState } from 'react';
import type { Approval, Call, CallProgressedEvent } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { nameOfCaller } from '../../components/approval/caller-words.ts';
import { outcomeOf } from '../../components/approval/outcome.ts';
import { classNames } from '../../components/class-names.ts';
import { safeText } from '../../components/safe-text.ts';
import { formatDuration, useNow } from '../../components/times.tsx';
import { Progress } from '../tools/Progress.tsx';
import { statusOf } from './call-status.ts';
import { type Phase, phasesOf } from './timeline.ts';

export interface CallTimelineProps {
  readonly call: Call;
  readonly approval: Approval | undefined;
}

const looks: Readonly<Record<Phase['name'], string>> = {
  'Waiting for an answer': 'bg-warn',
  'Waiting for its turn': 'bg-line-strong',
  Running: 'bg-accent',
};

/** How a call went: what happened when, and where its time was spent. */
export function CallTimeline({ call, approval }: CallTimelineProps) {
  const isOpen = call.status === 'pending' || call.status === 'running';
  const now = useNow(200, isOpen);
  const phases = phasesOf(call, approval, now);
  return (
    <section aria-label="Timeline" className="flex flex-col gap-3">
      <h3 className="text-xs text-ink-soft">Timeline</h3>
      <Bar phases={phases} />
      <ol className="relative ml-1.5 flex flex-col gap-2.5 border-l border-line pl-4">
        {stepsOf(call, approval).map(({ at, text, tone }) => (
          <li key={text} className="relative">
            <span
              aria-hidden
              className={classNames('absolute top-1.5 -left-[1.3rem] size-2 rounded-full ring-4 ring-raised', tone)}
            />
            <p className="break-words">{text}</p>
            <p className="text-xs text-ink-faint tabular-nums">
              <time dateTime={at}>{clock(at)}</time>
              {at > call.createdAt && <> · after {formatDuration(Date.parse(at) - Date.parse(call.createdAt))}</>}
            </p>
          </li>
        ))}
      </ol>
      {call.status === 'running' && <LiveProgress call={call.id} />}
    </section>
  );
}

/** The phases side by side, as long as they took. */
function Bar({ phases }: { readonly phases: readonly Phase[] }) {
  if (phases.length === 0) return null;
  return (
    <div>
      <div aria-hidden className="flex h-2 gap-px overflow-hidden rounded-full bg-sunken">
        {phases.map(({ name, from, to, open }) => (
          <span
            key={name}
            className={classNames('min-w-1', looks[name], open && 'animate-pulse-soft')}
            style={{ flexGrow: Math.max(1, to - from), flexBasis: 0 }}
          />
        ))}
      </div>
      <dl className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {phases.map(({ name, from, to }) => (
          <div key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={classNames('size-2 rounded-full', looks[name])} />
            <dt className="text-ink-soft">{name}</dt>
            <dd className="font-semibold tabular-nums">{formatDuration(Math.max(0, to - from))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** How far the tool says it is. */
function LiveProgress({ call }: { readonly call: string }) {
  const [told, setTold] = useState<CallProgressedEvent>();
  useEvent('call.progressed', (event) => {
    if (event.id === call) setTold(event);
  });
  return told && <Progress progress={told} />;
}

interface Step {
  readonly at: string;
  readonly text: string;
  readonly tone: string;
}

function stepsOf(call: Call, approval: Approval | undefined): readonly Step[] {
  const { word, tone } = statusOf(call);
  const dots = {
    good: 'bg-good',
    bad: 'bg-bad',
    warn: 'bg-warn',
    info: 'bg-info',
    accent: 'bg-accent',
    neutral: 'bg-line-strong',
  };
  return [
    { at: call.createdAt, text: `Made by ${nameOfCaller(call.caller)}`, tone: 'bg-line-strong' },
    ...(approval
      ? [
          {
            at: approval.askedAt,
            text: `A person was asked, because ${safeText(approval.reason, 300)}`,
            tone: 'bg-warn',
          },
        ]
      : []),
    ...(approval && approval.status !== 'pending'
      ? [
          {
            at: approval.answeredAt ?? call.completedAt ?? approval.expiresAt,
            text: outcomeOf(approval).sentence,
            tone: dots[outcomeOf(approval).tone],
          },
        ]
      : []),
    ...(call.startedAt === undefined
      ? []
      : [
          { at: call.startedAt, text: call.server === undefined ? 'Started' : 'Sent to its server', tone: 'bg-accent' },
        ]),
    ...(call.completedAt === undefined
      ? []
      : [{ at: call.completedAt, text: `Ended: ${word.toLowerCase()}`, tone: dots[tone] }]),
  ];
}

function clock(time: string): string {
  return new Date(time).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
}
