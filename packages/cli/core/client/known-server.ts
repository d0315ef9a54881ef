import type { Server } from '../../../contract/api-types.ts';
import { takesCalls } from '../../../contract/connections.ts';
import { oneLine } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A server, its status, and how many of its tools can be called. */
export interface KnownServer
  extends Pick<Server, 'name' | 'description' | 'transport' | 'enabled' | 'required' | 'mode' | 'status' | 'offers'> {
  readonly usableTools: number;
}

type ServerState = Pick<KnownServer, 'enabled' | 'status'>;

/** Whether an enabled server cannot be used. */
export function isUnavailable({ enabled, status, offers }: ServerState & Pick<KnownServer, 'offers'>): boolean {
  return enabled && (offers.tools === undefined || !takesCalls(status.state));
}

/** The reason why a server is unavailable, in one line, and where to sign in. */
export function whyUnavailable({ state, reason, signInUrl }: KnownServer['status']): string {
  if (reason !== undefined && signInUrl !== undefined && !reason.includes(signInUrl))
    return oneLine(`${reason}. Sign in at ${signInUrl}`);
  if (reason !== undefined) return oneLine(reason);
  return state === 'connecting' ? 'no response yet' : state;
}

/** Lists unavailable servers on stderr as warnings, or only the named one. */
export function warnUnavailable(
  servers: readonly Omit<KnownServer, 'usableTools'>[],
  { say, noteColors }: Terminal,
  only?: string,
): void {
  const unavailable = servers.filter((server) => isUnavailable(server) && (only === undefined || server.name === only));
  for (const { name, status } of unavailable) {
    say(`${noteColors.yellow('WARNING:')} Server '${oneLine(name)}' is unavailable: ${whyUnavailable(status)}`);
  }
}

/** `14`, or `3 of 14 (stale)` where only some tools can be called; undefined while the tools are unknown. */
export function toolCount({ usableTools, offers: { tools } }: KnownServer, noun = ''): string | undefined {
  if (!tools) return undefined;
  const numbers = usableTools === tools.count ? `${tools.count}` : `${usableTools} of ${tools.count}`;
  return `${numbers}${noun}${tools.stale ? ' (stale)' : ''}`;
}

/** `14 tools`, `3 of 14 tools (stale)`; undefined while the tools are unknown. */
export function describeTools(server: KnownServer): string | undefined {
  return toolCount(server, server.offers.tools?.count === 1 ? ' tool' : ' tools');
}

/** A server's state, or `disabled`. */
export function stateOf({ enabled, status }: ServerState): string {
  return enabled ? status.state : 'disabled';
}

/** The colour of a server's state. */
export function paintState(colors: Terminal['colors'], server: ServerState): (text: string) => string {
  const state = stateOf(server);
  if (state === 'connected') return colors.green;
  if (state === 'disabled' || state === 'sleeping') return colors.dim;
  return state === 'error' ? colors.red : colors.yellow;
}
