import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from 'wouter';
import type { Call } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Section } from '../../components/Facts.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration } from '../../components/times.tsx';
import { CallStatus } from './CallStatus.tsx';

const linkLook = 'text-accent-strong underline underline-offset-2';

/** A link to the call or the conversation that made this call. */
export function ParentLink({ call: { parent, caller } }: { readonly call: Call }) {
  const isCall = parent?.kind === 'call';
  const { data } = useQuery({ ...queries.call(parent?.id ?? ''), enabled: isCall });
  const callAddress = useCallAddress();
  if (!parent) return null;
  if (isCall) {
    return (
      <Link href={callAddress(parent.id)} className={`font-mono text-xs ${linkLook}`}>
        {safeText(data?.originalName ?? parent.id, 120)}
      </Link>
    );
  }
  if (caller.conversation === undefined) return <>An assistant's answer</>;
  return (
    <Link href={`/chat/${encodeURIComponent(caller.conversation)}`} className={linkLook}>
      An answer in a conversation
    </Link>
  );
}

/** The calls that this call made, with their status and duration. Nothing for a call without children. */
export function ChildCalls({ call }: { readonly call: string }) {
  const { data } = useQuery(queries.childCalls(call));
  const callAddress = useCallAddress();
  if (!data || data.calls.length === 0) return null;
  return (
    <Section title="Child calls">
      <ol className="divide-y divide-line rounded-md border border-line">
        {data.calls.map((child) => (
          <li key={child.id} className="flex items-center gap-3 px-3 py-1.5">
            <Link href={callAddress(child.id)} className={`min-w-0 flex-1 truncate font-mono text-xs ${linkLook}`}>
              {safeText(child.originalName, 120)}
            </Link>
            <CallStatus call={child} />
            <span className="w-16 text-right text-xs text-ink-soft">
              {child.startedAt === undefined ? '–' : <Duration from={child.startedAt} to={child.completedAt} />}
            </span>
          </li>
        ))}
      </ol>
      {data.hasMore && <p className="text-xs text-ink-faint">The latest {data.calls.length} child calls are shown.</p>}
    </Section>
  );
}

/** Addresses of calls that keep the filter of the list. */
function useCallAddress(): (id: string) => string {
  const search = useSearch();
  return (id) => `/calls/${encodeURIComponent(id)}${search === '' ? '' : `?${search}`}`;
}
