import type { Approval, Caller } from '../../api/client.ts';
import type { Tone } from '../Badge.tsx';
import { safeText } from '../safe-text.ts';

const labelsTexts = {
  pending: { word: 'Pending', sentence: 'Awaiting an answer.' },
  expired: { word: 'Expired', sentence: 'Nobody answered in time. The call was not made.' },
  withdrawn: { word: 'Withdrawn', sentence: 'The call ended before it was answered.' },
  denied: {
    word: 'Denied',
    sentence: (scope: string | undefined, by?: string) =>
      `Denied${by === undefined ? '' : ` by ${by}`}${scope === undefined ? '' : `, ${scope}`}.`,
  },
  allowed: {
    word: 'Allowed',
    notRunYet: 'Allowed, not run yet',
    sentence: (scope: string, by?: string) => (by === undefined ? `Allowed, ${scope}.` : `Allowed by ${by}, ${scope}.`),
    withEdits: (scope: string, by?: string) =>
      `Allowed${by === undefined ? '' : ` by ${by}`}, ${scope}, with edited arguments.`,
  },
};

const scopeTexts = {
  once: 'once',
  flow: 'this data flow, for the conversation',
  conversation: 'for the conversation',
  tool: 'always for this tool',
  'tool caller': 'always for this tool and this caller',
  'tool everyone': 'always for this tool and everyone',
  server: 'always for this server',
  'server caller': 'always for this server and this caller',
  'server everyone': 'always for this server and everyone',
};

const audienceTexts = {
  everyone: 'everyone',
  conversation: 'this conversation',
  program: 'this program',
  assistant: 'this assistant',
  client: 'this MCP client',
  person: 'this person',
};

const kindTexts = { program: 'program', assistant: 'assistant', client: 'MCP client', person: 'person' };

export interface Outcome {
  readonly tone: Tone;
  readonly word: string;
  readonly sentence: string;
}

/** The outcome of an approval, as a badge and as a sentence. */
export function outcomeOf({ status, answer, answeredBy, access }: Approval): Outcome {
  const { pending, expired, withdrawn, denied, allowed } = labelsTexts;
  const by = answeredBy === undefined ? undefined : safeText(answeredBy, 120);
  const scope = describeScope(answer, access);
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
function describeScope(answer: Approval['answer'], access: string | undefined): string {
  const { scope = 'once', audience } = answer ?? {};
  if (access !== undefined && scope !== 'once') return `always for ${safeText(access, 100)}`;
  if (scope === 'once' || scope === 'flow' || scope === 'conversation' || audience === undefined)
    return scopeTexts[scope];
  return audience === 'caller' ? scopeTexts[`${scope} caller`] : scopeTexts[`${scope} everyone`];
}

/** The callers that a remembered answer applies to. */
export type Audience = Approval['audiences'][number];

/** The audience of a rule, for people: "this assistant". */
export function labelAudience(audience: Audience, { kind }: Caller): string {
  return audience === 'caller' ? (audienceTexts[kind] ?? safeText(kind, 40)) : audienceTexts[audience];
}

/** The kind of a caller, for people. */
export const kindOfCaller = ({ kind }: Caller): string => kindTexts[kind] ?? safeText(kind, 40);

/** The program of a caller with its version, as it calls itself; undefined if it did not say. */
export function clientOfCaller({ client }: Caller): string | undefined {
  return client && safeText([client.name, client.version].filter(Boolean).join(' '), 120);
}

/** The name of a caller, or its id where it has none. */
export const nameOfCaller = ({ name, id }: Caller): string => safeText(name || id, 120);
