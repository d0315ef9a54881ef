import { formatNumber } from './formats.ts';

export const endTexts = {
  tool: { label: 'Tool error', explanation: 'The tool ran and reported an error.' },
  denied: { label: 'Denied', explanation: 'A rule or a person denied the call. It was not sent.' },
  cancelled: { label: 'Cancelled', explanation: 'The caller cancelled the call.' },
  timeout: { label: 'Timed out', explanation: 'The call took longer than its timeout.' },
  invalid: { label: 'Invalid', explanation: 'The arguments were invalid. The call was not sent.' },
  'unknown-outcome': {
    label: 'Outcome unknown',
    explanation: 'The connection or the gateway failed during the call. The call may have run and was not retried.',
  },
  failed: { label: 'Failed', explanation: 'The call could not be sent, or the server returned an error.' },
};

/** The outcomes that statistics count, with their word and colour, in the order of plots and tables. */
export const outcomes = [
  { outcome: 'success', word: 'success', colour: '--accent' },
  { outcome: 'error', word: 'failed', colour: '--bad' },
  { outcome: 'denied', word: 'denied', colour: '--warn' },
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
