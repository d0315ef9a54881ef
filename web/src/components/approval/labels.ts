import type { Approval, Caller } from '../../api/client.ts';
import type { Tone } from '../Badge.tsx';
import { safeText } from '../safe-text.ts';

export interface Outcome {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: string;
}

const scopeTexts = {
  once: 'once',
  conversation: 'for the conversation',
  tool: 'always for this tool',
  server: 'always for this server',
} as const;

/** The outcome of an approval, as a badge and as a sentence. */
export function outcomeOf({ status, answer, answeredBy }: Approval): Outcome {
  const by = answeredBy === undefined ? '' : ` by ${safeText(answeredBy, 120)}`;
  if (status === 'pending') return { tone: 'warn', word: 'Pending', sentence: 'Awaiting an answer.' };
  if (status === 'expired')
    return { tone: 'neutral', word: 'Expired', sentence: 'No answer in time; the call was denied.' };
  if (answeredBy === 'withdrawal')
    return { tone: 'neutral', word: 'Withdrawn', sentence: 'The call ended before it was answered.' };
  if (status === 'denied') {
    const always = answer?.scope === undefined || answer.scope === 'once' ? '' : `, ${scopeTexts[answer.scope]}`;
    return { tone: 'bad', word: 'Denied', sentence: `Denied${by}${always}.` };
  }
  const edited = answer?.arguments === undefined ? '' : ', with edited arguments';
  return {
    tone: 'good',
    word: status === 'used' ? 'Allowed' : 'Allowed, not run yet',
    sentence: `Allowed${by}, ${scopeTexts[answer?.scope ?? 'once']}${edited}.`,
  };
}

const kinds: Readonly<Record<Caller['kind'], string>> = {
  program: 'program',
  assistant: 'assistant',
  client: 'MCP client',
  person: 'person',
};

/** The kind of a caller, for people. */
export const kindOfCaller = ({ kind }: Caller): string => kinds[kind] ?? safeText(kind, 40);

/** The name of a caller, or its id where it has none. */
export const nameOfCaller = ({ name, id }: Caller): string => safeText(name || id, 120);
