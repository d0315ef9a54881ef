import type { ConnectionStatus } from '../../connections/status.ts';
import type { Identity } from './identity.ts';

/** A status as someone may see it. Only an administrator gets what a sign-in could be hijacked with, and process ids. */
export function visibleStatus(status: ConnectionStatus, { isAdmin }: Identity): ConnectionStatus {
  if (isAdmin) return status;
  const { pid: _pid, signInUrl: _url, ...visible } = status;
  return visible;
}
