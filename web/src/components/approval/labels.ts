import type { Approval, Caller } from '../../api/client.ts';
import { text } from '../../text/text.ts';
import type { Tone } from '../Badge.tsx';
import { safeText } from '../safe-text.ts';

export interface Outcome {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: string;
}

/** The outcome of an approval, as a badge and as a sentence. */
export function outcomeOf({ status, answer, answeredBy }: Approval): Outcome {
  const { pending, expired, withdrawn, denied, allowed } = text.approval.labels;
  const by = answeredBy === undefined ? undefined : safeText(answeredBy, 120);
  const scope = describeScope(answer);
  const isOnce = (answer?.scope ?? 'once') === 'once';
  if (status === 'pending') return { tone: 'warn', ...pending };
  if (status === 'expired') return { tone: 'neutral', ...expired };
  if (answeredBy === 'withdrawal') return { tone: 'neutral', ...withdrawn };
  if (status === 'denied')
    return { tone: 'bad', word: denied.word, sentence: denied.sentence(isOnce ? undefined : scope, by) };
  return {
    tone: 'good',
    word: status === 'used' ? allowed.word : allowed.notRunYet,
    sentence: answer?.arguments === undefined ? allowed.sentence(scope, by) : allowed.withEdits(scope, by),
  };
}

/** The calls that an answer applies to: "always for this tool and everyone". */
function describeScope(answer: Approval['answer']): string {
  const { scope = 'once', audience } = answer ?? {};
  const texts = text.approval.labels.scope;
  if (scope === 'once' || scope === 'conversation' || audience === undefined) return texts[scope];
  return audience === 'caller' ? texts[`${scope} caller`] : texts[`${scope} everyone`];
}

/** The callers that a remembered answer applies to. */
export type Audience = Approval['audiences'][number];

/** The audience of a rule, for people: "this assistant". */
export function labelAudience(audience: Audience, { kind }: Caller): string {
  const texts = text.approval.labels.audience;
  return audience === 'caller' ? (texts[kind] ?? safeText(kind, 40)) : texts[audience];
}

/** The kind of a caller, for people. */
export const kindOfCaller = ({ kind }: Caller): string => text.approval.labels.kind[kind] ?? safeText(kind, 40);

/** The name of a caller, or its id where it has none. */
export const nameOfCaller = ({ name, id }: Caller): string => safeText(name || id, 120);
