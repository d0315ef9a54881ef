import type { Approval, Caller } from '../../api/client.ts';
import type { Tone } from '../Badge.tsx';
import { safeText } from '../safe-text.ts';

export interface Outcome {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: string;
}

/** The outcome of an approval, as a badge and as a sentence. */
export function outcomeOf({ status, answer, answeredBy }: Approval): Outcome {
  const by = answeredBy === undefined ? '' : ` by ${safeText(answeredBy, 120)}`;
  if (status === 'pending') return { tone: 'warn', word: 'Pending', sentence: 'Awaiting an answer.' };
  if (status === 'expired')
    return { tone: 'neutral', word: 'Expired', sentence: 'No answer in time; the call was denied.' };
  if (answeredBy === 'withdrawal')
    return { tone: 'neutral', word: 'Withdrawn', sentence: 'The call ended before it was answered.' };
  if (status === 'denied') {
    const scope = describeScope(answer);
    return { tone: 'bad', word: 'Denied', sentence: `Denied${by}${scope === 'once' ? '' : `, ${scope}`}.` };
  }
  const edited = answer?.arguments === undefined ? '' : ', with edited arguments';
  return {
    tone: 'good',
    word: status === 'used' ? 'Allowed' : 'Allowed, not run yet',
    sentence: `Allowed${by}, ${describeScope(answer)}${edited}.`,
  };
}

/** The calls that an answer applies to: "always for this tool and everyone". */
function describeScope(answer: Approval['answer']): string {
  const { scope = 'once', audience } = answer ?? {};
  if (scope === 'once') return 'once';
  if (scope === 'conversation') return 'for the conversation';
  const who = audience === undefined ? '' : audience === 'caller' ? ' and this caller' : ' and everyone';
  return `always for this ${scope}${who}`;
}

/** The callers that a remembered answer applies to. */
export type Audience = Approval['audiences'][number];

/** The audience of a rule, for people: "this assistant". */
export function labelAudience(audience: Audience, caller: Caller): string {
  if (audience === 'caller') return `this ${kindOfCaller(caller)}`;
  return audience === 'everyone' ? 'everyone' : 'this conversation';
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
