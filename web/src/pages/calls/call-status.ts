import type { Call } from '../../api/client.ts';
import type { Tone } from '../../components/Badge.tsx';

export interface StatusWords {
  readonly tone: Tone;
  readonly word: string;
  readonly pulsing?: boolean;
  /** What it means, for those who have not met it. */
  readonly meaning: string;
}

const ends: Readonly<Record<NonNullable<Call['end']>, StatusWords>> = {
  tool: { tone: 'bad', word: 'Tool error', meaning: 'The tool ran and reported a failure of its own.' },
  denied: { tone: 'warn', word: 'Denied', meaning: 'A rule or a person said no. Nothing was sent.' },
  cancelled: { tone: 'neutral', word: 'Cancelled', meaning: 'Whoever made the call ended it.' },
  timeout: { tone: 'bad', word: 'Timed out', meaning: 'It took longer than it may.' },
  invalid: { tone: 'warn', word: 'Invalid', meaning: 'The arguments did not fit. Nothing was sent.' },
  'unknown-outcome': {
    tone: 'warn',
    word: 'Outcome unknown',
    meaning: 'The connection or the gateway broke while it was on its way. It may have run; it was not repeated.',
  },
  failed: { tone: 'bad', word: 'Failed', meaning: 'It could not be made, or the server answered with an error.' },
};

const others: Readonly<Record<Exclude<Call['status'], 'error'>, StatusWords>> = {
  pending: { tone: 'neutral', word: 'Waiting', pulsing: true, meaning: 'It waits for an answer or for a free place.' },
  running: { tone: 'info', word: 'Running', pulsing: true, meaning: 'It was sent to its server.' },
  success: { tone: 'good', word: 'Success', meaning: 'The tool answered.' },
};

/** How a call stands or ended, in words. */
export function statusOf({ status, end }: Pick<Call, 'status' | 'end'>): StatusWords {
  return status === 'error' ? ends[end ?? 'failed'] : others[status];
}
