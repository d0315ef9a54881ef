import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProfileConfig } from '../../config/config.ts';
import type { Caller } from '../../kernel/tool.ts';
import { sendJson } from '../mcp/responder.ts';
import { challengeFor, unauthorized } from './challenge.ts';
import { hasRight, type Identity } from './identity.ts';

export interface AdmitPorts {
  readonly profiles: () => readonly ProfileConfig[];
  readonly stopping: AbortSignal;
}

/** The caller of tools and their profile; undefined where the request was answered with why they may not. */
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
  if (!hasRight(identity, 'call')) return refuse(403, 'FORBIDDEN', "This needs the right 'call'");
  if (stopping.aborted) return refuse(503, 'TOOLBOX_CLOSED', 'The gateway is stopping');
  const profile = findProfile(asked, identity, profiles());
  return profile ? { caller: identity.caller, profile } : refuse(404, 'NOT_FOUND', 'There is no such profile');
}

/** The profile a path asks for, if it is theirs; without one, their own or `default`. */
function findProfile(
  asked: string | undefined,
  identity: Identity,
  profiles: readonly ProfileConfig[],
): ProfileConfig | undefined {
  const name = asked === undefined ? (identity.profile ?? 'default') : decoded(asked);
  if (identity.profile !== undefined && name !== identity.profile) return undefined;
  return profiles.find((profile) => profile.name === name);
}

/** What the text stands for; itself where it is not encoded well, which no profile is named. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
