import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { keyCallerPrefix } from '../../auth/api-keys.ts';
import type { SessionHolder } from '../../auth/app-sessions.ts';
import { type Identity, mayAddPrograms, rightsOf } from '../../auth/identity.ts';
import { readSessionCookie, toSessionCookie } from '../../auth/session-cookie.ts';
import { type ApiPorts, route } from '../route.ts';
import { sessionSchema } from '../schemas/settings.ts';

const group = 'session';

export const sessionRoutes = [
  route({
    operationId: 'getSession',
    method: 'get',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Returns the authenticated caller and its rights.',
    answer: sessionSchema,
    handle: async ({ authenticated, incoming }, ports) => showSession(authenticated, incoming, ports),
  }),
  route({
    operationId: 'openSession',
    recorded: true,
    method: 'post',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Opens a session of the web app for the admin token or an API key, and sets an HttpOnly cookie.',
    answer: sessionSchema,
    errors: ['UNAUTHORIZED'],
    async handle({ authenticated, incoming, setCookie }, ports) {
      const { sessions } = ports.security;
      const session = sessions.open(holderFor(authenticated));
      setCookie(toSessionCookie(incoming, session, sessions.lifetimeMs));
      return showSession(authenticated, incoming, ports);
    },
  }),
  route({
    operationId: 'closeSession',
    recorded: true,
    method: 'delete',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Ends the session of the web app and deletes its cookie.',
    async handle({ incoming, outgoing, setCookie }, { security: { sessions, recheckAccess } }) {
      const session = readSessionCookie(incoming);
      if (session !== undefined) await sessions.end(session);
      setCookie(toSessionCookie(incoming, undefined, sessions.lifetimeMs));
      await recheckAccess(outgoing);
    },
  }),
];

function holderFor(identity: Identity | undefined): SessionHolder {
  switch (identity?.via) {
    case 'admin-token':
      return { kind: 'admin' };
    case 'loopback':
      return { kind: 'local' };
    case 'key':
      return { kind: 'key', id: identity.caller.id.slice(keyCallerPrefix.length) };
    case 'sign-in':
      throw new ToolwharfError('CONFLICT', 'You are signed in already');
    case 'oauth':
    case 'jwt':
      throw new ToolwharfError(
        'FORBIDDEN',
        "An identity provider's token cannot open a session: send it with each request",
      );
    default:
      throw new ToolwharfError('UNAUTHORIZED', 'Send the admin token or a key as "Authorization: Bearer KEY"');
  }
}

function showSession(
  identity: Identity | undefined,
  incoming: IncomingMessage,
  { security, gateway, frames }: ApiPorts,
) {
  const provider = security.provider.settings();
  return {
    authenticated: identity !== undefined,
    via: identity?.via,
    caller: identity?.caller,
    role: identity?.role,
    signIn: provider && { name: provider.name ?? new URL(provider.issuer).hostname },
    profile: identity?.profile,
    rights: rightsOf(identity),
    mayAddPrograms: mayAddPrograms(identity) && security.allowsPrograms(),
    showsApps: identity !== undefined && frames.sourceFor(incoming) !== undefined,
    command: identity?.via === 'loopback' || identity?.isAdmin ? gateway.command : undefined,
    tokenFile: identity?.via === 'loopback' ? gateway.adminTokenFile : undefined,
  };
}
