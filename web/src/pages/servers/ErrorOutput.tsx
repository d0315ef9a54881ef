import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';
import { CopyButton } from '../../components/CopyButton.tsx';
import { ErrorNotice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { serverQueries } from './server-queries.ts';

const maxCharacters = 200_000;

/** The last lines that a local server wrote to stderr, updated live. */
export function ErrorOutput({ server }: { readonly server: string }) {
  const output = useQuery(serverQueries.errorOutput(server));
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const text = output.data && safeText(output.data.join('\n').slice(-maxCharacters), maxCharacters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new text moves the end
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [text]);

  if (output.isError) return <ErrorNotice error={output.error} onRetry={() => void output.refetch()} />;
  if (text === undefined) return <Spinner label="Loading error output …" />;
  if (text === '') return <p className="text-ink-soft">The server has written nothing to stderr.</p>;
  return (
    <div>
      <div className="mb-1 flex items-center justify-between gap-2">
        <p className="text-xs text-ink-faint">The last lines, with secrets masked. Updated live.</p>
        <CopyButton text={text} what="error output" />
      </div>
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        aria-label="Error output"
        className="max-h-[60vh] overflow-y-auto rounded-md border border-line bg-sunken p-3"
        onScroll={({ currentTarget: box }) => {
          isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 20;
        }}
      >
        <pre className="font-mono text-xs whitespace-pre-wrap">{text}</pre>
      </section>
    </div>
  );
}
