import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import type { Call } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { IconButton } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { Section } from '../../components/Facts.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration } from '../../components/times.tsx';
import { formatNumber } from '../../text/formats.ts';
import { CallStatus } from './CallStatus.tsx';
import type { ListedCall } from './merge-calls.ts';

/** Deeper levels are opened by hand. */
const openLevels = 3;

/** The tree that a call belongs to: its ancestors, and all calls that they made. Nothing for a call without relatives. */
export function CallTree({ call }: { readonly call: Call }) {
  const ancestors = useQuery({ ...queries.callAncestors(call), enabled: call.parent !== undefined });
  const children = useQuery(queries.childCalls(call.id));
  const hasChildren = (children.data?.calls.length ?? 0) > 0;
  if (call.parent === undefined && !hasChildren) return null;
  const root = ancestors.data?.at(-1) ?? call;
  const answer = root.parent?.kind === 'answer' ? root.parent.id : undefined;
  return (
    <Section title="Call tree">
      <ul className="overflow-hidden rounded-md border border-line py-1">
        {answer === undefined ? (
          <Node call={root} current={call.id} level={0} />
        ) : (
          <AnswerNode answer={answer} conversation={root.caller.conversation} current={call.id} />
        )}
      </ul>
    </Section>
  );
}

interface AnswerNodeProps {
  readonly answer: string;
  readonly conversation: string | undefined;
  readonly current: string;
}

/** An assistant's answer and the calls that it made. */
function AnswerNode({ answer, conversation, current }: AnswerNodeProps) {
  return (
    <li>
      <p className="px-3 py-1">
        {conversation === undefined ? (
          'An answer of an assistant'
        ) : (
          <Link href={`/chat/${encodeURIComponent(conversation)}`} className={linkLook}>
            An answer in a conversation
          </Link>
        )}
      </p>
      <Children parent={answer} current={current} level={1} />
    </li>
  );
}

interface NodeProps {
  readonly call: ListedCall;
  /** The call that the dialog shows. */
  readonly current: string;
  readonly level: number;
}

function Node({ call, current, level }: NodeProps) {
  const search = useSearch();
  const [isOpen, setOpen] = useState(level < openLevels);
  const children = useQuery({ ...queries.childCalls(call.id), enabled: level < openLevels || isOpen });
  const hasChildren = children.data === undefined || children.data.calls.length > 0;
  const isCurrent = call.id === current;
  const name = safeText(call.originalName, 120);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <div
        className={classNames('flex items-center gap-2 py-1 pr-3', isCurrent && 'bg-accent-soft')}
        style={{ paddingLeft: `${Math.min(level, 12) + 0.5}rem` }}
      >
        {hasChildren ? (
          <IconButton
            size="small"
            label={isOpen ? `Hide the calls of ${name}` : `Show the calls of ${name}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            icon={Chevron}
          />
        ) : (
          <span aria-hidden className="w-7 shrink-0" />
        )}
        <Link
          href={`/calls/${encodeURIComponent(call.id)}${search === '' ? '' : `?${search}`}`}
          aria-current={isCurrent ? 'page' : undefined}
          className={classNames('min-w-0 flex-1 truncate font-mono text-xs', isCurrent ? 'font-semibold' : linkLook)}
        >
          {name}
        </Link>
        <CallStatus call={call} />
        <span className="w-14 text-right text-xs text-ink-soft">
          {call.startedAt === undefined ? '–' : <Duration from={call.startedAt} to={call.completedAt} />}
        </span>
      </div>
      {isOpen && hasChildren && <Children parent={call.id} current={current} level={level + 1} />}
    </li>
  );
}

interface ChildrenProps {
  readonly parent: string;
  readonly current: string;
  readonly level: number;
}

function Children({ parent, current, level }: ChildrenProps) {
  const { data } = useQuery(queries.childCalls(parent));
  if (!data || data.calls.length === 0) return null;
  return (
    <ul>
      {data.calls.map((child) => (
        <Node key={child.id} call={child} current={current} level={level} />
      ))}
      {data.hasMore && (
        <li className="px-3 py-1 text-xs text-ink-faint">{`The latest ${formatNumber(data.calls.length)} calls are shown.`}</li>
      )}
    </ul>
  );
}

const linkLook = 'text-accent-strong underline underline-offset-2';
