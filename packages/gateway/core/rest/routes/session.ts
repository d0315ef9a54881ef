import type { IncomingMessage } from 'node:http';
import { ToolwharfError } from '../../../../contract/errors.ts';
import { sessionRoutes as routes } from '../../../../contract/routes/session.ts';
import { keyCallerPrefix } from '../../auth/api-keys.ts';
import type { SessionHolder } from '../../auth/app-sessions.ts';
import { hasRight, type Identity, mayAddPrograms } from '../../auth/identity.ts';
import { readSessionCookie, toSessionCookie } from '../../auth/session-cookie.ts';
import { type ApiPorts, implement } from '../route.ts';

export const sessionRoutes = [
  implement(routes.getSession, {
    handle: async ({ authenticated, incoming }, ports) => showSession(authenticated, incoming, ports),
  }),
  implement(routes.openSession, {
    async handle({ authenticated, incoming, setCookie }, ports) {
      const { sessions } = ports.security;
      const session = sessions.open(holderFor(authenticated));
      setCookie(toSessionCookie(incoming, session, sessions.lifetimeMs));
      return showSession(authenticated, incoming, ports);
    },
  }),
  implement(routes.closeSession, {
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
    roles: identity?.roles && [...identity.roles],
    elevation: identity?.elevation,
    signIn: provider && { name: provider.name ?? new URL(provider.issuer).hostname },
    profile: identity?.profile,
    permissions: [...(identity?.permissions ?? [])],
    mayAddPrograms: mayAddPrograms(identity) && security.allowsPrograms(),
    showsApps: identity !== undefined && frames.sourceFor(incoming) !== undefined,
    command: hasRight(identity, 'settings.read') ? gateway.command : undefined,
    features: identity && gateway.features,
    tokenFile: identity?.via === 'loopback' ? gateway.adminTokenFile : undefined,
  };
}
