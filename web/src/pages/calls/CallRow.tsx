import { CornerDownRight } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { nameOfCaller } from '../../components/approval/caller-words.ts';
import { classNames } from '../../components/class-names.ts';
import { safeText } from '../../components/safe-text.ts';
import { Duration, TimeAgo } from '../../components/times.tsx';
import { CallStatus } from './CallStatus.tsx';
import type { ListedCall } from './merge-calls.ts';

/** The grid of the list: two lines on narrow screens, one on wide ones. */
export const columns =
  'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 ' +
  'md:grid-cols-[minmax(0,2.2fr)_minmax(0,1.2fr)_minmax(0,1.4fr)_9.5rem_6rem_8rem]';

export interface CallRowProps {
  readonly call: ListedCall;
  readonly href: string;
}

/** One call in the list. The whole row links to its details. */
export const CallRow = memo(function CallRow({ call, href }: CallRowProps) {
  return (
    <div className={classNames(columns, 'relative py-2 hover:bg-sunken')}>
      <span className="flex min-w-0 items-center gap-1.5">
        {call.parent?.kind === 'call' && (
          <CornerDownRight aria-label="Child call" className="size-3.5 shrink-0 text-ink-faint" />
        )}
        <Link
          href={href}
          className="truncate font-mono font-semibold after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {safeText(call.originalName, 120)}
        </Link>
      </span>
      <span className="hidden truncate text-ink-soft md:block">
        {call.server === undefined ? 'local' : safeText(call.server, 100)}
      </span>
      <span className="order-3 truncate text-ink-soft max-md:text-xs md:order-none">
        <span className="md:hidden">{call.server === undefined ? 'local' : safeText(call.server, 60)} · </span>
        {nameOfCaller(call.caller)}
      </span>
      <span className="justify-self-end md:justify-self-start">
        <CallStatus call={call} />
      </span>
      <span className="order-5 hidden text-right text-ink-soft md:order-none md:block">
        {call.startedAt === undefined ? (
          <span title="The call was not sent">–</span>
        ) : (
          <Duration from={call.startedAt} to={call.completedAt} />
        )}
      </span>
      <span className="order-4 justify-self-end text-xs text-ink-faint md:order-none">
        <TimeAgo at={call.createdAt} />
      </span>
    </div>
  );
});
