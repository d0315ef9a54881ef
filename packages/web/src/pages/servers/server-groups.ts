import { takesCalls } from '../../../../contract/connections.ts';
import type { Server } from '../../api/client.ts';

/** The groups of the list of servers, in its order. */
export const serverGroups = [
  { id: 'working', label: 'Working' },
  { id: 'trouble', label: 'Not connected' },
  { id: 'disabled', label: 'Disabled' },
] as const;

/** Whether a server is in use, should be, or is switched off. */
export function groupOf({ enabled, status }: Pick<Server, 'enabled' | 'status'>): (typeof serverGroups)[number]['id'] {
  if (!enabled) return 'disabled';
  return takesCalls(status.state) ? 'working' : 'trouble';
}
