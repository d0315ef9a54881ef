import { useState } from 'react';
import type { Approval, Call, CallProgressedEvent } from '../../api/client.ts';
import { useEvent } from '../../api/events-context.tsx';
import { nameOfCaller, outcomeOf } from '../../components/approval/labels.ts';
import { classNames } from '../../components/class-names.ts';
import { Progress } from '../../components/Progress.tsx';
import { safeText } from '../../components/safe-text.ts';
import { useNow } from '../../components/times.tsx';
import { formatDuration, formatTime } from '../../text/formats.ts';
import { labelStatus } from './CallStatus.tsx';
import { findPhases, type Phase } from './timeline.ts';

const phaseTexts = { approval: 'Awaiting approval', queued: 'Queued', running: 'Running' };

export interface CallTimelineProps {
  readonly call: Call;
  readonly approval: Approval | undefined;
}

const phaseColours: Readonly<Record<Phase['name'], string>> = {
  approval: 'bg-warn',
  queued: 'bg-line-strong',
  running: 'bg-accent',
};

/** The events of a call and the time spent in each phase. */
export function CallTimeline({ call, approval }: CallTimelineProps) {
  const now = useNow(200, call.status === 'pending' || call.status === 'running');
  const phases = findPhases(call, approval, now);
  return (
    <section aria-label="Timeline" className="flex flex-col gap-3">
      <h3 className="text-xs text-ink-soft">Timeline</h3>
      <Bar phases={phases} />
      <ol className="relative ml-1.5 flex flex-col gap-2.5 border-l border-line pl-4">
        {listSteps(call, approval).map(({ at, sentence, tone }) => (
          <li key={sentence} className="relative">
            <span
              aria-hidden
              className={classNames('absolute top-1.5 -left-[1.3rem] size-2 rounded-full ring-4 ring-raised', tone)}
            />
            <p className="break-words">{sentence}</p>
            <p className="text-xs text-ink-faint tabular-nums">
              <time dateTime={at}>{formatTime(at, { dateStyle: 'medium', timeStyle: 'medium' })}</time>
              {at > call.createdAt && ` · after ${formatDuration(Date.parse(at) - Date.parse(call.createdAt))}`}
            </p>
          </li>
        ))}
      </ol>
      {call.status === 'running' && <LiveProgress call={call} />}
    </section>
  );
}

/** The phases side by side, in proportion to their duration. */
function Bar({ phases }: { readonly phases: readonly Phase[] }) {
  if (phases.length === 0) return null;
  return (
    <div>
      <div aria-hidden className="flex h-2 gap-px overflow-hidden rounded-full bg-sunken">
        {phases.map(({ name, from, to, open }) => (
          <span
            key={name}
            className={classNames('min-w-1', phaseColours[name], open && 'animate-pulse-soft')}
            style={{ flexGrow: Math.max(1, to - from), flexBasis: 0 }}
          />
        ))}
      </div>
      <dl className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {phases.map(({ name, from, to }) => (
          <div key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={classNames('size-2 rounded-full', phaseColours[name])} />
            <dt className="text-ink-soft">{phaseTexts[name]}</dt>
            <dd className="font-semibold tabular-nums">{formatDuration(Math.max(0, to - from))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The progress that the tool reports. */
function LiveProgress({ call }: { readonly call: Call }) {
  const [latest, setLatest] = useState<CallProgressedEvent>();
  useEvent('call.progressed', (event) => {
    if (event.id === call.id) setLatest(event);
  });
  const progress = latest?.id === call.id ? latest : call.progress;
  return progress && <Progress progress={progress} />;
}

interface Step {
  readonly at: string;
  readonly sentence: string;
  readonly tone: string;
}

function listSteps(call: Call, approval: Approval | undefined): readonly Step[] {
  const { label, tone } = labelStatus(call);
  const colours = {
    good: 'bg-good',
    bad: 'bg-bad',
    warn: 'bg-warn',
    info: 'bg-info',
    accent: 'bg-accent',
    neutral: 'bg-line-strong',
  };
  const steps: Step[] = [
    { at: call.createdAt, sentence: `Called by ${nameOfCaller(call.caller)}`, tone: 'bg-line-strong' },
  ];
  if (call.rule !== undefined) steps.push({ at: call.createdAt, sentence: 'Allowed by a rule', tone: 'bg-good' });
  if (approval) {
    const reason = safeText(approval.reason, 300);
    steps.push({ at: approval.askedAt, sentence: `Approval requested: ${reason}`, tone: 'bg-warn' });
  }
  if (approval && approval.status !== 'pending') {
    const { sentence, tone: outcomeTone } = outcomeOf(approval);
    // An expired approval is marked as such some time after it expired.
    const answeredAt = approval.status === 'expired' ? approval.expiresAt : approval.answeredAt;
    const at = answeredAt ?? call.completedAt ?? approval.expiresAt;
    steps.push({ at, sentence, tone: colours[outcomeTone] });
  }
  if (call.startedAt !== undefined) {
    const sentence = call.server === undefined ? 'Started' : 'Sent to the server';
    steps.push({ at: call.startedAt, sentence, tone: 'bg-accent' });
  }
  if (call.completedAt !== undefined) {
    steps.push({ at: call.completedAt, sentence: `Ended: ${label.toLowerCase()}`, tone: colours[tone] });
  }
  return steps;
}
