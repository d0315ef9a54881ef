import type { IncomingMessage, ServerResponse } from 'node:http';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { createEphemeralMap } from '../../../toolwharf/kernel/ephemeral-map.ts';
import { type Authenticate, type Identity, seesAll } from './identity.ts';

/** The requests that have not been answered completely, streams above all. */
export interface OpenRequests {
  add(request: IncomingMessage, response: ServerResponse, identity: Identity): void;
  /**
   * Authenticates every open request again, and closes those whose caller has lost its access, its profile or a permission. The
   * response `except` is left open: it reports the change.
   */
  recheck(except?: ServerResponse): Promise<void>;
  close(): void;
}

export interface OpenRequestsOptions {
  readonly authenticate: Authenticate;
  readonly profiles: () => readonly ProfileConfig[];
}

/** How often access is checked for expired tokens. Changes of keys and users are checked when they happen. */
const intervalMs = 5_000;

interface OpenRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly identity: Identity;
}

/** Closes the open requests of callers that lose their access. */
export function createOpenRequests(options: OpenRequestsOptions): OpenRequests {
  const { authenticate, profiles } = options;
  const open = createEphemeralMap<number, OpenRequest>();
  let added = 0;

  async function recheck(except?: ServerResponse): Promise<void> {
    // Streams with the same credential need one check.
    const checked = new Map<string, Promise<boolean>>();
    await Promise.all(
      [...open.values()].map(async ({ request, response, identity }) => {
        if (response === except) return;
        const key = `${credentialOf(request)} ${stamp(identity)}`;
        const check = checked.get(key) ?? keepsAccess(request, identity);
        checked.set(key, check);
        if (!(await check)) response.destroy();
      }),
    );
  }

  async function keepsAccess(request: IncomingMessage, identity: Identity): Promise<boolean> {
    try {
      const current = await authenticate(request);
      const { profile } = identity;
      const hasProfile = profile === undefined || profiles().some(({ name }) => name === profile);
      return hasProfile && current !== undefined && includes(current, identity);
    } catch (cause) {
      // An identity provider that is down has not revoked anything.
      return cause instanceof ToolwharfError && cause.code === 'SERVER_UNREACHABLE';
    }
  }

  const timer = setInterval(() => void recheck(), intervalMs).unref();
  return {
    add(request, response, identity) {
      const number = added++;
      open.set(number, { request, response, identity });
      response.on('close', () => open.delete(number));
    },
    recheck,
    close: () => clearInterval(timer),
  };
}

function credentialOf({ headers, socket }: IncomingMessage): string {
  return `${headers.authorization ?? ''} ${headers.cookie ?? ''} ${socket.remoteAddress ?? ''}`;
}

/** Whether the caller may still do all that it could do. More permissions than before close nothing. */
function includes(current: Identity, before: Identity): boolean {
  const hasProfile = current.profile === before.profile || seesAll(current) || current.usesEveryProfile === true;
  const isSame = current.caller.id === before.caller.id && hasProfile;
  return isSame && [...before.permissions].every((permission) => current.permissions.has(permission));
}

/** Equal for identities with the same caller and permissions. */
function stamp({ caller, profile, permissions, usesEveryProfile }: Identity): string {
  return JSON.stringify([caller.id, profile, usesEveryProfile, ...permissions].map(String).sort());
}
