import { useQuery } from '@tanstack/react-query';
import type { Call } from '../../api/client.ts';
import { ContentView } from '../../components/ContentView.tsx';
import { isRecord } from '../../components/content/is-record.ts';
import { Notice } from '../../components/ErrorNotice.tsx';
import { safeText } from '../../components/safe-text.ts';
import { isCut } from '../tools/is-cut.ts';
import { statusOf } from './call-status.ts';
import { readErrorMeanings } from './error-meanings.ts';

/** What came of a call: its result, why there is none, or that it is not over. */
export function CallOutcome({ call }: { readonly call: Call }) {
  if (call.status === 'pending' || call.status === 'running') return null;
  const result = resultOf(call);
  return (
    <>
      {call.status === 'error' && call.end !== 'tool' && <Failure call={call} />}
      {(result || call.resultOmitted) && (
        <section aria-label="Result" className="flex min-w-0 flex-col gap-1.5">
          <h3 className="text-xs text-ink-soft">Result</h3>
          {result && <ContentView result={result} callId={call.id} server={call.server} />}
          {!result && <p className="text-ink-soft">There was a result, but it is too big for the journal to keep.</p>}
        </section>
      )}
    </>
  );
}

function Failure({ call }: { readonly call: Call }) {
  const { word, meaning } = statusOf(call);
  const code = call.error?.code;
  const known = useQuery({
    queryKey: ['error-meanings'],
    queryFn: async () => readErrorMeanings((await import('../../../../docs/errors.md?raw')).default),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: code !== undefined,
  }).data?.get(code ?? '');
  const isUncertain = call.end === 'unknown-outcome';
  return (
    <Notice
      tone={isUncertain || call.end === 'denied' || call.end === 'cancelled' ? 'warn' : 'bad'}
      title={
        <>
          {word}
          {code !== undefined && <code className="ml-2 text-xs font-normal">{safeText(code, 60)}</code>}
        </>
      }
    >
      <p className="whitespace-pre-wrap">{call.error ? safeText(call.error.message, 5_000) : meaning}</p>
      {known && (
        <details className="mt-1.5">
          <summary className="cursor-pointer text-ink-soft">What this means</summary>
          <p className="mt-1">{known.happened}</p>
          <p className="mt-1">{known.advice}</p>
        </details>
      )}
    </Notice>
  );
}

function resultOf({ id, result }: Call) {
  if (!result) return undefined;
  const { structuredContent, isError } = result;
  const content = Array.isArray(result.content) ? result.content.filter(isRecord) : [];
  return {
    isError: isError === true,
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    cut: isCut({ callId: id, content }),
  };
}
