import { formatNumber } from './formats.ts';

/** What a call waits for, or that it has a result. */
export const statusTexts = {
  pending: { tone: 'neutral', label: 'Pending', explanation: 'The call is waiting for approval or for a free slot.' },
  running: { tone: 'info', label: 'Running', explanation: 'The call was sent to the server.' },
  approval: {
    tone: 'warn',
    label: 'Awaiting approval',
    explanation: 'A person must allow the call before it is sent.',
  },
  input: {
    tone: 'warn',
    label: 'Awaiting input',
    explanation: 'The server asked a question that a person must answer.',
  },
  success: { tone: 'good', label: 'Success', explanation: 'The tool returned a result.' },
} as const;

/** How a call ended without a result. */
export const endTexts = {
  tool: { tone: 'bad', label: 'Tool error', explanation: 'The tool ran and reported an error.' },
  denied: { tone: 'warn', label: 'Denied', explanation: 'A rule or a person denied the call. It was not sent.' },
  expired: {
    tone: 'neutral',
    label: 'No answer',
    explanation: 'Nobody answered the approval in time. The call was not sent.',
  },
  cancelled: { tone: 'neutral', label: 'Cancelled', explanation: 'The caller cancelled the call.' },
  timeout: { tone: 'bad', label: 'Timed out', explanation: 'The call took longer than its timeout.' },
  invalid: { tone: 'warn', label: 'Invalid', explanation: 'The arguments were invalid. The call was not sent.' },
  'unknown-outcome': {
    tone: 'warn',
    label: 'Outcome unknown',
    explanation: 'The connection or the gateway failed during the call. The call may have run and was not retried.',
  },
  failed: {
    tone: 'bad',
    label: 'Failed',
    explanation: 'The call could not be sent, or the server returned an error.',
  },
} as const;

/** The outcomes that statistics count, with their word and colour, in the order of plots and tables. */
export const outcomes = [
  { outcome: 'success', word: 'success', colour: '--accent' },
  { outcome: 'error', word: 'failed', colour: '--bad' },
  { outcome: 'denied', word: 'denied', colour: '--warn' },
  { outcome: 'expired', word: 'unanswered', colour: '--ink-faint' },
  { outcome: 'invalid', word: 'invalid', colour: '--info' },
  { outcome: 'cancelled', word: 'cancelled', colour: '--line-strong' },
  { outcome: 'unknown', word: 'unknown', colour: '--ink-soft' },
] as const;

export type Outcome = (typeof outcomes)[number]['outcome'];

/** "2 failed" */
export function describeOutcome(
  { outcome, word }: (typeof outcomes)[number],
  totals: Readonly<Record<Outcome, number>>,
) {
  return `${formatNumber(totals[outcome])} ${word}`;
}
