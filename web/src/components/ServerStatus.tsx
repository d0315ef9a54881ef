import type { ConnectionStatus } from '../api/client.ts';
import { text } from '../text/text.ts';
import { StatusBadge, type Tone } from './Badge.tsx';

export interface ServerStatusProps {
  readonly status: Pick<ConnectionStatus, 'state' | 'code'>;
  readonly enabled?: boolean;
}

const states: Readonly<Record<ConnectionStatus['state'], readonly [Tone, string]>> = {
  connected: ['good', text.serverStatus.connected],
  degraded: ['warn', text.serverStatus.degraded],
  connecting: ['info', text.serverStatus.connecting],
  error: ['bad', text.common.error],
  disconnected: ['neutral', text.serverStatus.disconnected],
};

/** The connection state of a server. */
export function ServerStatus({ status, enabled = true }: ServerStatusProps) {
  if (!enabled) return <StatusBadge tone="neutral">{text.serverStatus.disabled}</StatusBadge>;
  if (needsSignIn(status)) return <StatusBadge tone="warn">{text.serverStatus.signNeeded}</StatusBadge>;
  const [tone, word] = states[status.state];
  return (
    <StatusBadge tone={tone} pulsing={status.state === 'connecting'}>
      {word}
    </StatusBadge>
  );
}

function needsSignIn({ state, code }: ServerStatusProps['status']): boolean {
  return state === 'error' && (code === 'OAUTH_REQUIRED' || code === 'ACCOUNT_REQUIRED');
}
