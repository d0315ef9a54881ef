import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileConfig } from '../../config/config.ts';
import type { Caller } from '../../kernel/tool.ts';
import { sendJson } from '../mcp/responder.ts';
import { hasRight, type Identity } from './identity.ts';

/** The `WWW-Authenticate` header of a 401 response. */
export function challengeFor(request: IncomingMessage): string {
  const realm = 'Bearer realm="toolwharf"';
  return request.headers.authorization === undefined ? realm : `${realm}, error="invalid_token"`;
}

/** The body of a 401 response. */
export const unauthorized = {
  error: {
    code: 'UNAUTHORIZED',
    message: 'Authentication required: send a valid key as "Authorization: Bearer KEY"',
  },
} as const;

export interface AdmitPorts {
  readonly profiles: () => readonly ProfileConfig[];
  readonly stopping: AbortSignal;
}

/** The caller and profile of a request; undefined if the request was already answered with an error. */
export function admitCaller(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity | undefined,
  asked: string | undefined,
  { profiles, stopping }: AdmitPorts,
): { readonly caller: Caller; readonly profile: ProfileConfig } | undefined {
  const refuse = (status: number, code: string, message: string): undefined =>
    void sendJson(response, status, { error: { code, message } });
  if (!identity) return void sendJson(response, 401, unauthorized, { 'www-authenticate': challengeFor(request) });
  if (!hasRight(identity, 'call')) return refuse(403, 'FORBIDDEN', "This request needs the right 'call'");
  if (stopping.aborted) return refuse(503, 'TOOLBOX_CLOSED', 'The gateway is stopping');
  const profile = findProfile(asked, identity, profiles());
  return profile ? { caller: identity.caller, profile } : refuse(404, 'NOT_FOUND', 'No such profile');
}

/** The requested profile if the caller may use it; without a request, the caller's own profile or `default`. */
function findProfile(
  asked: string | undefined,
  identity: Identity,
  profiles: readonly ProfileConfig[],
): ProfileConfig | undefined {
  const name = asked === undefined ? (identity.profile ?? 'default') : decode(asked);
  if (identity.profile !== undefined && name !== identity.profile) return undefined;
  return profiles.find((profile) => profile.name === name);
}

/** Decodes percent-encoding; malformed text is returned unchanged and matches no profile. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
