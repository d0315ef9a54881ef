import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { api } from '../../api/client.ts';
import { Badge, type Tone } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Section } from '../../components/Facts.tsx';
import { QueryState } from '../../components/QueryState.tsx';
import { safeText } from '../../components/safe-text.ts';
import { policyQueries } from './queries.ts';

type Explanation = Awaited<ReturnType<typeof api.explainCall>>;
type Line = Explanation['lines'][number];

/** Every line of the configuration that can decide a call, with those that do and the values that they read. */
export default function CallDecision({ callId }: { readonly callId: string }) {
  const [isOpen, setOpen] = useState(false);
  const explanation = useQuery({ ...policyQueries.explanation(callId), enabled: isOpen });
  return (
    <Section title="Decision">
      <div>
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide the explanation' : 'Explain the decision'}
        </Button>
      </div>
      {isOpen && (
        <div className="mt-3 flex flex-col gap-2">
          <QueryState query={explanation} what="explanation" />
          {explanation.data && <DecisionLines explanation={explanation.data} />}
        </div>
      )}
    </Section>
  );
}

const decisions = { allow: 'allowed', ask: 'asked about', deny: 'denied' };
const sources: Readonly<Record<Line['source'], string>> = {
  'deny-list': 'Deny list',
  'ask-list': 'Ask list',
  remembered: 'Remembered answer',
  definition: 'Definition',
  mode: 'Approval mode',
  policy: 'Rule',
};
const effects = { deny: 'Deny', ask: 'Ask', hide: 'Hide', allow: 'Allow', label: 'Label', redact: 'Redact' };
const tones: Readonly<Record<NonNullable<Line['effect']>, Tone>> = {
  ...{ deny: 'bad', ask: 'warn', hide: 'neutral', allow: 'good', label: 'info', redact: 'info' },
};

function DecisionLines({ explanation: { decision, lines, notes } }: { readonly explanation: Explanation }) {
  return (
    <>
      <p>{`With the configuration as it is now, the call is ${decisions[decision]}.`}</p>
      <ol className="divide-y divide-line rounded-md border border-line">
        {lines.map((line, index) => (
          // The same line can occur twice.
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <li key={index} className="flex flex-col gap-1 px-3 py-2">
            <DecisionLine line={line} />
          </li>
        ))}
      </ol>
      {notes.map((note) => (
        <p key={note} className="text-xs text-ink-faint">
          {safeText(note, 500)}
        </p>
      ))}
    </>
  );
}

function DecisionLine({ line }: { readonly line: Line }) {
  const { source, rule, text, effect, decided, shadow, values, failure } = line;
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{sources[source]}</span>
        {source === 'policy' && rule !== undefined && <span className="break-words">{safeText(rule, 100)}</span>}
        {effect ? (
          <Badge tone={tones[effect]}>{effects[effect]}</Badge>
        ) : (
          <span className="text-ink-faint">no effect</span>
        )}
        {shadow && <Badge tone="info">Shadow</Badge>}
        {decided && <strong>decides</strong>}
      </span>
      <span className={source === 'policy' ? 'font-mono text-xs break-words' : 'text-sm text-ink-soft break-words'}>
        {safeText(text, 2_000)}
      </span>
      {values && values.length > 0 && (
        <ul className="font-mono text-xs text-ink-soft">
          {values.map(({ name, value }) => (
            <li key={name} className="break-words">
              {safeText(name, 200)} = {safeText(value, 400)}
            </li>
          ))}
        </ul>
      )}
      {failure !== undefined && <span className="text-xs text-bad">{`No value: ${safeText(failure, 300)}`}</span>}
    </>
  );
}
