import { LogIn, RefreshCw } from 'lucide-react';
import { useRef } from 'react';
import type { ConnectionStatus, Server } from '../../api/client.ts';
import { Button, ExternalButtonLink } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { ExpandableText } from '../../components/ExpandableText.tsx';
import { pluralize } from '../../components/pluralize.ts';
import { Spinner } from '../../components/Spinner.tsx';
import { safeText } from '../../components/safe-text.ts';
import { formatDuration, useNow } from '../../components/times.tsx';
import type { ServerAction } from './use-server-action.ts';

export interface ServerTroubleProps {
  readonly server: Server;
  /** Only for administrators. */
  readonly action?: ServerAction | undefined;
}

/** The problem of a server and what to do about it. Nothing for a healthy server. */
export function ServerTrouble({ server, action }: ServerTroubleProps) {
  const { status, problem, enabled } = server;
  const { signInUrl, nextTryAt, failures } = status;
  const reason = useReason(status);
  if (problem !== undefined) {
    return (
      <p className="rounded-md bg-warn-soft px-2.5 py-1.5">
        <ExpandableText text={problem} />
      </p>
    );
  }
  if (!enabled || reason === undefined) return null;
  const isRetrying = status.state === 'connecting';
  const isBad = isRetrying || (status.state === 'error' && signInUrl === undefined);
  return (
    <div
      className={classNames('flex flex-col gap-1.5 rounded-md px-2.5 py-1.5', isBad ? 'bg-bad-soft' : 'bg-warn-soft')}
    >
      <p className="min-w-0">
        <ExpandableText text={reason} />
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft">
        {signInUrl !== undefined && <SignInLink url={signInUrl} />}
        {failures > 1 && <span>{pluralize(failures, 'failed attempt')}</span>}
        {isRetrying && <Spinner label="Retrying …" />}
        {!isRetrying && nextTryAt !== undefined && <NextAttempt at={nextTryAt} />}
        {action && status.state === 'error' && (
          <Button size="small" busy={action.running === 'connect'} onClick={() => action.run('connect')}>
            <RefreshCw aria-hidden />
            Retry now
          </Button>
        )}
      </div>
    </div>
  );
}

/** The reason of the failure. It stays during a retry. */
function useReason({ state, reason, failures }: ConnectionStatus): string | undefined {
  const last = useRef<string>(undefined);
  if (reason !== undefined) last.current = reason;
  else if (state !== 'connecting' || failures === 0) last.current = undefined;
  return last.current;
}

/** A countdown to the next connection attempt. */
export function NextAttempt({ at }: { readonly at: string }) {
  const now = useNow(1_000);
  const ms = Date.parse(at) - now;
  const text = ms < 1_000 ? 'Retrying …' : `Next attempt in ${formatWhole(ms)}`;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} className="whitespace-nowrap tabular-nums">
      {text}
    </time>
  );
}

function formatWhole(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1_000);
}

/** Opens the sign-in page of a server. The host shows who asks. */
function SignInLink({ url }: { readonly url: string }) {
  const parsed = URL.parse(url);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) {
    return <span>The server sent an invalid sign-in URL.</span>;
  }
  return (
    <ExternalButtonLink href={parsed.href} size="small">
      <LogIn aria-hidden />
      Sign in at {safeText(parsed.host, 100)}
      <span className="sr-only">, opens in a new tab</span>
    </ExternalButtonLink>
  );
}
