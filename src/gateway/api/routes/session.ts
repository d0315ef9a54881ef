import { ToolwharfError } from '../../../kernel/errors.ts';
import type { SessionHolder } from '../../auth/app-sessions.ts';
import { type Identity, mayAddPrograms, rightsOf } from '../../auth/identity.ts';
import { readSessionCookie, toSessionCookie } from '../../auth/session-cookie.ts';
import { type ApiPorts, type ApiRequest, route } from '../route.ts';
import { sessionSchema } from '../schemas/settings.ts';

const group = 'session';

export const sessionRoutes = [
  route({
    operationId: 'getSession',
    method: 'get',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Who the gateway thinks you are, and what you may do.',
    answer: sessionSchema,
    handle: async ({ known }, ports) => showSession(known, ports),
  }),
  route({
    operationId: 'openSession',
    method: 'post',
    path: '/api/session',
    right: 'public',
    group,
    summary:
      'Opens a session of the app for the bearer of the admin token or of a key: sets a cookie that no script can read.',
    answer: sessionSchema,
    errors: ['UNAUTHORIZED'],
    async handle({ known, incoming, setHeader }, ports) {
      const { sessions } = ports;
      const session = sessions.open(holderFor(known));
      setHeader('set-cookie', toSessionCookie(incoming, session, sessions.lifetimeMs));
      return showSession(known, ports);
    },
  }),
  route({
    operationId: 'closeSession',
    method: 'delete',
    path: '/api/session',
    right: 'public',
    group,
    summary: 'Ends the session of the app and takes its cookie away.',
    async handle({ incoming, setHeader }: ApiRequest, { sessions, events }: ApiPorts) {
      const session = readSessionCookie(incoming);
      if (session !== undefined) sessions.end(session);
      setHeader('set-cookie', toSessionCookie(incoming, undefined, sessions.lifetimeMs));
      await events.recheckAccess();
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
      return { kind: 'key', id: identity.caller.id.replace(/^key:/, '') };
    case 'jwt':
      throw new ToolwharfError(
        'FORBIDDEN',
        'A token of an identity provider is sent with each request: it opens no session',
      );
    default:
      throw new ToolwharfError('UNAUTHORIZED', 'Send the admin token or a key as "Authorization: Bearer KEY"');
  }
}

function showSession(identity: Identity | undefined, { allowsPrograms, adminTokenFile }: ApiPorts) {
  return {
    authenticated: identity !== undefined,
    ...(identity?.via && { via: identity.via }),
    ...(identity && { caller: identity.caller }),
    ...(identity?.profile !== undefined && { profile: identity.profile }),
    rights: rightsOf(identity),
    mayAddPrograms: mayAddPrograms(identity) && allowsPrograms(),
    // Where it is helps nobody who may not read it.
    ...(identity?.via === 'loopback' && adminTokenFile !== undefined && { tokenFile: adminTokenFile }),
  };
}
