import type { Call } from '../../api/client.ts';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';

interface StatusLabel {
  readonly tone: Tone;
  readonly label: string;
  readonly pulsing?: boolean;
  /** The tooltip. */
  readonly explanation: string;
}

const errorLabels: Readonly<Record<NonNullable<Call['end']>, StatusLabel>> = {
  tool: { tone: 'bad', label: 'Tool error', explanation: 'The tool ran and reported an error.' },
  denied: { tone: 'warn', label: 'Denied', explanation: 'A rule or a person denied the call. It was not sent.' },
  cancelled: { tone: 'neutral', label: 'Cancelled', explanation: 'The caller cancelled the call.' },
  timeout: { tone: 'bad', label: 'Timed out', explanation: 'The call took longer than its timeout.' },
  invalid: { tone: 'warn', label: 'Invalid', explanation: 'The arguments were invalid. The call was not sent.' },
  'unknown-outcome': {
    tone: 'warn',
    label: 'Outcome unknown',
    explanation: 'The connection or the gateway failed during the call. The call may have run and was not retried.',
  },
  failed: { tone: 'bad', label: 'Failed', explanation: 'The call could not be sent, or the server returned an error.' },
};

const labels: Readonly<Record<Exclude<Call['status'], 'error'>, StatusLabel>> = {
  pending: {
    tone: 'neutral',
    label: 'Pending',
    pulsing: true,
    explanation: 'The call is waiting for approval or for a free slot.',
  },
  running: { tone: 'info', label: 'Running', pulsing: true, explanation: 'The call was sent to the server.' },
  success: { tone: 'good', label: 'Success', explanation: 'The tool returned a result.' },
};

/** The label of a call's status, or of its end. */
export function labelStatus({ status, end }: Pick<Call, 'status' | 'end'>): StatusLabel {
  return status === 'error' ? errorLabels[end ?? 'failed'] : labels[status];
}

/** The status of a call as a badge. */
export function CallStatus({ call }: { readonly call: Pick<Call, 'status' | 'end'> }) {
  const { tone, label, pulsing = false, explanation } = labelStatus(call);
  return (
    <span title={explanation}>
      <StatusBadge tone={tone} pulsing={pulsing}>
        {label}
      </StatusBadge>
    </span>
  );
}
