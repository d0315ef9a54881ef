import type { Connection } from '../connections/connection.ts';
import type { ConnectionStatus } from '../connections/status.ts';
import type { WaitForTools } from '../kernel/internal-source.ts';

export interface WaitForToolsPorts {
  readonly servers: () => readonly Connection[];
  readonly hasTools: (server: string) => boolean;
  /** Waits for servers that other replicas run. */
  readonly waitElsewhere?: WaitForTools;
}

/** Servers that are down and may have the tool are tried, because somebody calls it. */
export function createWaitForTools({ servers, hasTools, waitElsewhere }: WaitForToolsPorts): WaitForTools {
  return (tool) => {
    const elsewhere = waitElsewhere?.(tool);
    if (elsewhere) return elsewhere;
    const name = toComparable(tool);
    const attempts = servers().flatMap((connection) => {
      const { spec } = connection;
      const isMeant = spec.enabled && name.includes(toComparable(spec.name)) && !hasTools(spec.name);
      if (!isMeant || !mayTryServer(connection.status, Date.now())) return [];
      return connection.connect().catch(() => {});
    });
    return attempts.length > 0 ? Promise.all(attempts).then(() => {}) : undefined;
  };
}

/** Names of tools contain the name of their server, without characters that are not allowed there. */
export function toComparable(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}

/** Whether a name says that its tool belongs to the server, in one of the namings that join both. */
function isNamedAfter(tool: string, server: string): boolean {
  return toComparable(tool)
    .replace(/^mcp_/, '')
    .startsWith(`${toComparable(server)}_`);
}

/** Why a tool may be unknown: the server that its name names is not connected. Ends a sentence about the tool; empty if there is none. */
export function explainUnknown(
  tool: string,
  missing: readonly { readonly server: string; readonly reason?: string | undefined }[],
): string {
  const down = missing.find(({ server }) => isNamedAfter(tool, server));
  return down?.reason === undefined ? '' : `. Server '${down.server}' is not available: ${down.reason}`;
}

// A server is not tried again sooner after a failure.
const minPauseMs = 1_000;

/** Whether a server that is down can be tried at once. A person must act first if credentials are missing. */
export function mayTryServer({ state, cause, signInUrl, since, nextTryAt }: ConnectionStatus, now: number): boolean {
  if (state === 'connecting') return true;
  if (state !== 'error' || cause === 'unauthorized' || signInUrl !== undefined || nextTryAt === undefined) return false;
  return Math.abs(now - Date.parse(since)) >= minPauseMs;
}
