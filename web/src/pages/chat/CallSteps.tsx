import { useQuery } from '@tanstack/react-query';
import type { ToolCallPart } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { safeText } from '../../components/safe-text.ts';
import { TextLink } from '../../components/TextLink.tsx';
import { Duration } from '../../components/times.tsx';
import { text } from '../../text/text.ts';
import { CallStatus } from '../calls/CallStatus.tsx';

/** Whether a call may have made others: chains and scripts belong to no server. */
export function mayHaveSteps({ server, callId, startedAt }: ToolCallPart): boolean {
  return server === undefined && callId !== undefined && startedAt !== undefined;
}

/** The calls that a chain or a script has made, in order. */
export function CallSteps({ call: { callId = '', originalName, name } }: { readonly call: ToolCallPart }) {
  const { data } = useQuery(queries.childCalls(callId));
  if (!data || data.calls.length === 0) return null;
  return (
    <div className="border-t border-line px-3 py-2">
      <ol aria-label={text.chat.steps.label(safeText(originalName ?? name, 120))} className="flex flex-col gap-1">
        {data.calls.map((step) => (
          <li key={step.id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <TextLink href={`/calls/${encodeURIComponent(step.id)}`} className="min-w-0 font-mono text-xs break-all">
              {safeText(step.originalName, 120)}
            </TextLink>
            {step.server !== undefined && <Badge>{safeText(step.server, 100)}</Badge>}
            <span className="ml-auto flex items-center gap-2 text-xs text-ink-faint">
              {step.startedAt !== undefined && <Duration from={step.startedAt} to={step.completedAt} />}
              <CallStatus call={step} />
            </span>
          </li>
        ))}
      </ol>
      {data.hasMore && <p className="mt-1 text-xs text-ink-faint">{text.chat.steps.more(data.calls.length)}</p>}
    </div>
  );
}
