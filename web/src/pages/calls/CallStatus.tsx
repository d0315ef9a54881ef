import type { Call } from '../../api/client.ts';
import { StatusBadge, type Tone } from '../../components/Badge.tsx';
import { text } from '../../text/text.ts';

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

const tones = { pending: 'neutral', running: 'info', success: 'good' } as const;

/** The label of a call's status, or of its end. */
export function labelStatus({ status, end = 'failed' }: Pick<Call, 'status' | 'end'>): StatusLabel {
  if (status === 'error') return { tone: endTones[end], ...text.calls.end[end] };
  return { tone: tones[status], pulsing: status !== 'success', ...text.calls.status[status] };
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
