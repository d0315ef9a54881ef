import { ChevronRight, CircleCheck, CircleX } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ServerTest } from '../../api/client.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/ErrorNotice.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { LongList } from '../../components/LongList.tsx';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { Duration } from '../../components/times.tsx';
import { formatDuration } from '../../text/formats.ts';
import { plural } from '../../text/plural.ts';
import { describeOffers, describeProtocol, describeServerInfo } from './server-labels.ts';
import type { ConnectionTest } from './use-connection-test.ts';

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
        {result && `Connection ${result.ok ? 'succeeded' : 'failed'}, ${plural(result.tools.length, 'tool')}`}
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

/** The result of a connection test. */
function TestResult({ result }: { readonly result: ServerTest }) {
  const { ok, latencyMs, tools, problems, stderr, instructions } = result;
  const info = describeServerInfo(result.serverInfo);
  const rejected = result.offers.tools?.rejected ?? [];
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-2 text-base font-semibold">
        {ok ? (
          <CircleCheck aria-hidden className="size-5 shrink-0 text-good" />
        ) : (
          <CircleX aria-hidden className="size-5 shrink-0 text-bad" />
        )}
        {ok ? 'Connection succeeded' : 'Connection failed'}
      </p>
      <Facts>
        {info !== undefined && <Fact name="Server">{info}</Fact>}
        {(result.transport === 'api' || result.protocolVersion !== undefined) && (
          <Fact name={result.transport === 'api' ? 'Transport' : 'Protocol'}>{describeProtocol(result)}</Fact>
        )}
        <Fact name={ok ? 'Latency' : 'Duration'}>{formatDuration(latencyMs)}</Fact>
        {ok && <Fact name="Offers">{describeOffers(result.offers)}</Fact>}
      </Facts>
      {problems.length > 0 && (
        <ul aria-label="Problems" className="flex flex-col gap-2">
          {problems.map(({ code, message }) => (
            <li key={`${code} ${message}`} className="rounded-md bg-bad-soft px-2.5 py-2">
              <p className="break-words whitespace-pre-wrap">{safeText(message, 2_000)}</p>
              <p className="mt-0.5 text-xs text-ink-soft">
                <code>{safeText(code, 100)}</code>
              </p>
            </li>
          ))}
        </ul>
      )}
      {tools.length > 0 && (
        <Disclosure title={`Discovered ${plural(tools.length, 'tool')}`} isOpen>
          <LongList label="Discovered tools" items={tools} keyOf={({ name }) => name}>
            {({ name, description }) => (
              <div className="py-1.5">
                <p className="font-mono text-xs font-semibold break-all">{safeText(name, 200)}</p>
                <p className="line-clamp-2 text-xs break-words text-ink-soft">{safeText(description, 300)}</p>
              </div>
            )}
          </LongList>
        </Disclosure>
      )}
      {rejected.length > 0 && (
        <Disclosure title={`${plural(rejected.length, 'tool')} left out`}>
          <LongList label="Tools left out" items={rejected} keyOf={({ name, reason }) => `${name} ${reason}`}>
            {({ name, reason }) => (
              <p className="py-1.5 text-xs break-words">
                <Badge tone="warn">{safeText(name, 100)}</Badge> {safeText(reason, 500)}
              </p>
            )}
          </LongList>
        </Disclosure>
      )}
      {instructions !== undefined && instructions !== '' && (
        <Disclosure title="Instructions for the model">
          <p className="max-h-60 overflow-y-auto text-xs break-words whitespace-pre-wrap">{safeText(instructions)}</p>
        </Disclosure>
      )}
      {stderr.length > 0 && (
        <Disclosure title="Error output" isOpen={!ok}>
          <pre className="max-h-60 overflow-y-auto rounded bg-sunken p-2 text-xs whitespace-pre-wrap">
            {safeText(stderr.join('\n'))}
          </pre>
        </Disclosure>
      )}
    </div>
  );
}

interface DisclosureProps {
  readonly title: ReactNode;
  /** Initially open. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

function Disclosure({ title, isOpen = false, children }: DisclosureProps) {
  return (
    <details open={isOpen} className="group min-w-0">
      <summary className="flex cursor-pointer list-none items-center gap-1 font-medium">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-ink-faint transition-transform group-open:rotate-90"
        />
        {title}
      </summary>
      <div className="mt-1 pl-5">{children}</div>
    </details>
  );
}
