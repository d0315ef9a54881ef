import type { Approval } from '../../api/client.ts';
import type { Tone } from '../Badge.tsx';
import { safeText } from '../safe-text.ts';

export interface Outcome {
  readonly tone: Tone;
  /** A word or two for a badge. */
  readonly word: string;
  readonly sentence: string;
}

const reaches = {
  once: 'once',
  conversation: 'for the conversation',
  tool: 'always for this tool',
  server: 'always for this server',
} as const;

/** What became of a question. */
export function outcomeOf({ status, answer, answeredBy }: Approval): Outcome {
  const by = answeredBy === undefined ? '' : ` by ${safeText(answeredBy, 120)}`;
  if (status === 'pending') return { tone: 'warn', word: 'Waiting', sentence: 'It waits for an answer.' };
  if (status === 'expired')
    return { tone: 'neutral', word: 'Expired', sentence: 'Nobody answered in time: the call was denied.' };
  if (answeredBy === 'withdrawal')
    return { tone: 'neutral', word: 'Withdrawn', sentence: 'Its call ended before anybody answered.' };
  if (status === 'denied') {
    const always = answer?.scope === undefined || answer.scope === 'once' ? '' : `, ${reaches[answer.scope]}`;
    return { tone: 'bad', word: 'Denied', sentence: `Denied${by}${always}.` };
  }
  const edited = answer?.arguments === undefined ? '' : ', with other arguments';
  return {
    tone: 'good',
    word: status === 'used' ? 'Allowed' : 'Allowed, not run yet',
    sentence: `Allowed${by}, ${reaches[answer?.scope ?? 'once']}${edited}.`,
  };
}
