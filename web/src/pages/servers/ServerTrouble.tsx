import { RefreshCw } from 'lucide-react';
import { useRef } from 'react';
import type { ConnectionStatus, Server } from '../../api/client.ts';
import { Button } from '../../components/Button.tsx';
import { classNames } from '../../components/class-names.ts';
import { LongText } from './LongText.tsx';
import { NextTry } from './NextTry.tsx';
import { SignInLink } from './SignInLink.tsx';
import type { ServerAction } from './use-server-action.ts';

export interface ServerTroubleProps {
  readonly server: Server;
  /** For those who may do something about it. */
  readonly action?: ServerAction | undefined;
}

/** What is wrong with a server and what can be done; nothing while all is well. */
export function ServerTrouble({ server, action }: ServerTroubleProps) {
  const { status, problem, enabled } = server;
  const { signInUrl, nextTryAt, failures } = status;
  const reason = useReason(status);
  if (problem !== undefined) {
    return (
      <p className="rounded-md bg-warn-soft px-2.5 py-1.5">
        <LongText text={problem} />
      </p>
    );
  }
  if (!enabled || reason === undefined) return null;
  const isTrying = status.state === 'connecting';
  const isBad = isTrying || (status.state === 'error' && signInUrl === undefined);
  return (
    <div
      className={classNames('flex flex-col gap-1.5 rounded-md px-2.5 py-1.5', isBad ? 'bg-bad-soft' : 'bg-warn-soft')}
    >
      <p className="min-w-0">
        <LongText text={reason} />
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-soft">
        {signInUrl !== undefined && <SignInLink url={signInUrl} />}
        {failures > 1 && <span>Failed {failures} times</span>}
        {isTrying ? <span>Trying again now</span> : nextTryAt !== undefined && <NextTry at={nextTryAt} />}
        {action && (isTrying || status.state === 'error') && (
          <Button size="small" busy={isTrying || action.running === 'connect'} onClick={() => action.run('connect')}>
            <RefreshCw aria-hidden />
            Try now
          </Button>
        )}
      </div>
    </div>
  );
}

/** Why it failed. While it is tried again the last failure stays: nothing is better yet. */
function useReason({ state, reason, failures }: ConnectionStatus): string | undefined {
  const last = useRef<string>(undefined);
  if (reason !== undefined) last.current = reason;
  else if (state !== 'connecting' || failures === 0) last.current = undefined;
  return last.current;
}
