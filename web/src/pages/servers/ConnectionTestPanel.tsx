import { useEffect, useRef } from 'react';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { Duration } from '../../components/times.tsx';
import { countOf } from './server-words.ts';
import { TestResult } from './TestResult.tsx';
import type { ConnectionTest } from './use-connection-test.ts';

export interface ConnectionTestPanelProps {
  readonly test: ConnectionTest;
  /** Whether the form says something else by now. */
  readonly isOutdated: boolean;
}

/** What a test of the connection found, beside the form. */
export function ConnectionTestPanel({ test, isOutdated }: ConnectionTestPanelProps) {
  const { since, result, error } = test;
  const place = useRef<HTMLElement>(null);
  // On a narrow screen it is below the form, out of sight.
  useEffect(() => {
    if (since !== undefined || result) place.current?.scrollIntoView({ block: 'nearest' });
  }, [since, result]);

  return (
    <section
      ref={place}
      aria-label="Connection test"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
      tabIndex={0}
      className="min-w-0 rounded-lg border border-line bg-surface p-3 md:sticky md:top-0 md:max-h-[calc(92vh-9.5rem)] md:self-start md:overflow-y-auto"
    >
      <h3 className="mb-2">Connection test</h3>
      <p role="status" className="sr-only">
        {result && `Connection ${result.ok ? 'succeeded' : 'failed'}, ${countOf(result.tools.length, 'tool')}`}
      </p>
      {since !== undefined && (
        <div className="flex items-center justify-between gap-2">
          <span className="flex items-center gap-2">
            <Spinner label="Connecting …" />
            <span aria-hidden className="text-ink-faint">
              <Duration from={since} />
            </span>
          </span>
          <Button size="small" onClick={test.cancel}>
            Cancel test
          </Button>
        </div>
      )}
      {result && isOutdated && (
        <Notice tone="info" className="mb-2">
          You changed something since this test.
        </Notice>
      )}
      {result && <TestResult result={result} />}
      {error !== undefined && <p>The gateway did not try it: see what it says in the form.</p>}
      {since === undefined && !result && error === undefined && (
        <p className="text-ink-soft">
          Press <strong>Test Connection</strong> to see whether the server can be reached and which tools it has, before
          anything is saved.
        </p>
      )}
    </section>
  );
}
