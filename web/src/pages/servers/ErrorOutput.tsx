import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { serverQueries } from './server-queries.ts';

const maxCharacters = 200_000;

/** The last lines that a program wrote to its error output, as they come. */
export function ErrorOutput({ server }: { readonly server: string }) {
  const output = useQuery(serverQueries.errorOutput(server));
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const text = output.data && safeText(output.data.join('\n').slice(-maxCharacters), maxCharacters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text is what moves the end
  useLayoutEffect(() => {
    const place = scroller.current;
    if (place && isAtEnd.current) place.scrollTop = place.scrollHeight;
  }, [text]);

  if (output.isError) return <ErrorNotice error={output.error} onRetry={() => void output.refetch()} />;
  if (text === undefined) return <Spinner label="Loading …" />;
  if (text === '') return <p className="text-ink-soft">It has written nothing to its error output.</p>;
  return (
    <div>
      <div className="mb-1 flex items-center justify-between gap-2">
        <p className="text-xs text-ink-faint">The last lines, secrets hidden. New ones appear by themselves.</p>
        <CopyButton text={text} what="error output" />
      </div>
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        aria-label="Error output"
        className="max-h-[60vh] overflow-y-auto rounded-md border border-line bg-sunken p-3"
        onScroll={({ currentTarget: place }) => {
          isAtEnd.current = place.scrollHeight - place.scrollTop - place.clientHeight < 20;
        }}
      >
        <pre className="font-mono text-xs whitespace-pre-wrap">{text}</pre>
      </section>
    </div>
  );
}
