import type { ToolLimits } from '../../../contract/settings/config.ts';
import { formatDuration } from './formats.ts';
import { plural } from './plural.ts';

/** "5 concurrent calls, timeout 30 s"; only the limits that are set. */
export function formatLimits({ maxInstances, timeoutMs }: Partial<ToolLimits>): string {
  return [
    maxInstances !== undefined && plural(maxInstances, 'concurrent call'),
    timeoutMs !== undefined && `timeout ${formatDuration(timeoutMs)}`,
  ]
    .filter(Boolean)
    .join(', ');
}
