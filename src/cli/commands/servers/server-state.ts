import type { ServerInfo } from '../../../servers/server-info.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** A server's state in one word; one that is switched off has none. */
export function stateOf({ enabled, status }: ServerInfo): string {
  return enabled ? status.state : 'disabled';
}

/** The colour that goes with the state. */
export function paintState(colors: Terminal['colors'], info: ServerInfo): (text: string) => string {
  const state = stateOf(info);
  if (state === 'connected') return colors.green;
  if (state === 'disabled') return colors.dim;
  return state === 'error' ? colors.red : colors.yellow;
}
