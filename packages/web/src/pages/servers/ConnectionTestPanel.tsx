import { useEffect, useRef } from 'react';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { Duration } from '../../components/times.tsx';
import { plural } from '../../text/plural.ts';
import { TestResult } from './TestResult.tsx';
import type { ConnectionTest } from './use-connection-test.ts';

const describeSucceeded = (count: number) => `Connection succeeded, ${plural(count, 'tool')}`;

const describeFailed = (count: number) => `Connection failed, ${plural(count, 'tool')}`;

export interface ConnectionTestPanelProps {
  readonly test: ConnectionTest;
  /** Whether the form changed since the test. */
  readonly isOutdated: boolean;
}

/** The connection test beside the form. */
export function ConnectionTestPanel({ test, isOutdated }: ConnectionTestPanelProps) {
  const { since, result, error } = test;
  const panel = useRef<HTMLElement>(null);
  // On a narrow screen the panel is below the form.
  useEffect(() => {
    if (since !== undefined || result) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [since, result]);

  return (
    <section
      ref={panel}
      aria-label="Connection test"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
      tabIndex={0}
      className="min-w-0 rounded-lg border border-line bg-surface p-3 md:sticky md:top-0 md:max-h-[calc(92vh-9.5rem)] md:self-start md:overflow-y-auto"
    >
      <h3 className="mb-2">Connection test</h3>
      <p role="status" className="sr-only">
        {result && (result.ok ? describeSucceeded : describeFailed)(result.tools.length)}
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
          The form changed since this test.
        </Notice>
      )}
      {result && <TestResult result={result} />}
      {error !== undefined && <p>The test did not run. Correct the marked fields.</p>}
      {since === undefined && !result && error === undefined && (
        <p className="text-ink-soft">
          Press <strong>Test connection</strong> to check the connection and list the tools before you save.
        </p>
      )}
    </section>
  );
}
