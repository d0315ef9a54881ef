import type { ConnectionStatus } from '../api/client.ts';
import { StatusBadge, type Tone } from './Badge.tsx';

export interface ServerStatusProps {
  readonly status: Pick<ConnectionStatus, 'state' | 'code'>;
  readonly enabled?: boolean;
}

/** The tone and the word of each connection state. */
export const states: Readonly<Record<ConnectionStatus['state'], readonly [Tone, string]>> = {
  connected: ['good', 'Connected'],
  degraded: ['warn', 'Degraded'],
  connecting: ['info', 'Connecting'],
  sleeping: ['neutral', 'Sleeping'],
  error: ['bad', 'Error'],
  disconnected: ['neutral', 'Disconnected'],
};

/** The connection state of a server. */
export function ServerStatus({ status, enabled = true }: ServerStatusProps) {
  if (!enabled) return <StatusBadge tone="neutral">Disabled</StatusBadge>;
  if (needsSignIn(status)) return <StatusBadge tone="warn">Sign-in needed</StatusBadge>;
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
