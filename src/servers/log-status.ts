import type { ConnectionState, ConnectionStatus } from '../connections/status.ts';
import type { Log } from '../kernel/log.ts';

/** Logs a change of a server's status, except failures to connect, which the caller of `connect` reports. */
export function logStatus(log: Log, server: string, status: ConnectionStatus, before: ConnectionState): void {
  const { state, reason = 'no reason given', era, transport, connectMs } = status;
  const kind = transport === 'api' ? 'HTTP API' : 'MCP server';
  const wasUp = before === 'connected' || before === 'degraded';
  if (state === 'connected' && before === 'connecting') {
    log.info('server.connected', `${kind} '${server}' is connected`, { server, era, transport, connectMs });
  } else if (state === 'connected' && before === 'degraded') {
    log.info('server.recovered', `${kind} '${server}' works again`, { server });
  } else if (state === 'error' && wasUp) {
    log.warning('server.lost', `The connection to ${kind} '${server}' was lost and is being restored: ${reason}`, {
      server,
    });
  } else if (state === 'degraded') {
    log.warning('server.degraded', `${kind} '${server}' is only partly usable: ${reason}`, { server });
  }
}
