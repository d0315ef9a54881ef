import { useQuery } from '@tanstack/react-query';
import type { Call } from '../../api/client.ts';
import { ContentView } from '../../components/ContentView.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Section } from '../../components/Facts.tsx';
import { isRecord } from '../../components/is-record.ts';
import { safeText } from '../../components/safe-text.ts';
import { labelStatus } from './CallStatus.tsx';
import { readErrorMeanings } from './error-meanings.ts';

/** The result of a call that has ended, or the error that it ended with. */
export function CallOutcome({ call }: { readonly call: Call }) {
  if (call.status === 'pending' || call.status === 'running') return null;
  const result = toContent(call);
  return (
    <>
      {call.status === 'error' && call.end !== 'tool' && <Failure call={call} />}
      {(result || call.resultOmitted) && (
        <Section title="Result">
          {result && (
            <ContentView
              result={result}
              truncated={call.truncated !== undefined}
              callId={call.id}
              server={call.server}
            />
          )}
          {!result && <p className="text-ink-soft">The result was too large for the journal and is not stored.</p>}
        </Section>
      )}
    </>
  );
}

function Failure({ call }: { readonly call: Call }) {
  const { label, explanation } = labelStatus(call);
  const code = call.error?.code;
  const meaning = useQuery({
    queryKey: ['error-meanings'],
    queryFn: async () => readErrorMeanings((await import('../../../../../docs/errors.md?raw')).default),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: code !== undefined,
  }).data?.get(code ?? '');
  return (
    <Notice
      tone={['unknown-outcome', 'denied', 'expired', 'cancelled'].includes(call.end ?? '') ? 'warn' : 'bad'}
      title={
        <>
          {label}
          {code !== undefined && <code className="ml-2 text-xs font-normal">{safeText(code, 60)}</code>}
        </>
      }
    >
      <p className="whitespace-pre-wrap">{call.error ? safeText(call.error.message, 5_000) : explanation}</p>
      {meaning && (
        <details className="mt-1.5">
          <summary className="cursor-pointer text-ink-soft">What this means</summary>
          <p className="mt-1">{meaning.happened}</p>
          <p className="mt-1">{meaning.advice}</p>
        </details>
      )}
    </Notice>
  );
}

function toContent({ result }: Call) {
  return (
    result && {
      isError: result.isError === true,
      content: Array.isArray(result.content) ? result.content.filter(isRecord) : [],
      structuredContent: result.structuredContent,
    }
  );
}
