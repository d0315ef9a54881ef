import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Call } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';
import { endTexts, statusTexts } from '../../text/calls-texts.ts';

/** The person's action that a call waits for. */
type Awaited = 'approval' | 'input';

interface StatusLabel {
  readonly tone: Tone;
  readonly label: string;
  readonly pulsing?: boolean;
  /** The tooltip. */
  readonly explanation: string;
}

/** The label of a call's status, or of its end. */
export function labelStatus({ status, end = 'failed' }: Pick<Call, 'status' | 'end'>, awaited?: Awaited): StatusLabel {
  if (status === 'error') return endTexts[end];
  const shown = status === 'success' ? status : (awaited ?? status);
  return { ...statusTexts[shown], pulsing: status !== 'success' };
}

/** The status of a call as a badge. */
export function CallStatus({ call }: { readonly call: Pick<Call, 'id' | 'status' | 'end'> }) {
  const isOpen = call.status === 'pending' || call.status === 'running';
  return isOpen ? <OpenStatus call={call} /> : <Status {...labelStatus(call)} />;
}

function OpenStatus({ call }: { readonly call: Pick<Call, 'id' | 'status'> }) {
  return <Status {...labelStatus(call, useAwaited().get(call.id))} />;
}

function Status({ tone, label, pulsing = false, explanation }: StatusLabel) {
  return (
    <span title={explanation}>
      <StatusBadge tone={tone} pulsing={pulsing}>
        {label}
      </StatusBadge>
    </span>
  );
}

/** The calls that wait for a person, by id. */
function useAwaited(): ReadonlyMap<string, Awaited> {
  const { data: approvals } = useQuery(queries.pendingApprovals());
  const { data: questions } = useQuery(queries.questions());
  return useMemo(
    () =>
      new Map<string, Awaited>([
        ...(approvals ?? []).map(({ callId }) => [callId, 'approval'] as const),
        ...(questions ?? []).flatMap(({ callId }) => (callId === undefined ? [] : [[callId, 'input'] as const])),
      ]),
    [approvals, questions],
  );
}
