import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Call } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';
import { endTexts } from '../../text/calls-texts.ts';

const statusTexts = {
  pending: { label: 'Pending', explanation: 'The call is waiting for approval or for a free slot.' },
  running: { label: 'Running', explanation: 'The call was sent to the server.' },
  approval: { label: 'Awaiting approval', explanation: 'A person must allow the call before it is sent.' },
  input: { label: 'Awaiting input', explanation: 'The server asked a question that a person must answer.' },
  success: { label: 'Success', explanation: 'The tool returned a result.' },
};

/** The person's action that a call waits for. */
type Awaited = 'approval' | 'input';

interface StatusLabel {
  readonly tone: Tone;
  readonly label: string;
  readonly pulsing?: boolean;
  /** The tooltip. */
  readonly explanation: string;
}

const endTones: Readonly<Record<NonNullable<Call['end']>, Tone>> = {
  tool: 'bad',
  denied: 'warn',
  cancelled: 'neutral',
  timeout: 'bad',
  invalid: 'warn',
  'unknown-outcome': 'warn',
  failed: 'bad',
};

const tones = { pending: 'neutral', running: 'info', success: 'good', approval: 'warn', input: 'warn' } as const;

/** The label of a call's status, or of its end. */
export function labelStatus({ status, end = 'failed' }: Pick<Call, 'status' | 'end'>, awaited?: Awaited): StatusLabel {
  if (status === 'error') return { tone: endTones[end], ...endTexts[end] };
  const shown = status === 'success' ? status : (awaited ?? status);
  return { tone: tones[shown], pulsing: status !== 'success', ...statusTexts[shown] };
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
