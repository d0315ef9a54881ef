import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, ToolwharfError } from '../kernel/errors.ts';
import type { A2aRoutes } from './a2a/a2a-routes.ts';
import { answerChallenge } from './auth/admin-token.ts';
import { type AdmitPorts, admitCaller, sendUnauthorized } from './auth/admit-caller.ts';
import { type Authenticate, inTime } from './auth/identity.ts';
import { oauthReturnPath, serveOAuthReturn } from './auth/oauth-return.ts';
import type { OpenRequests } from './auth/open-requests.ts';
import type { GatewayParts, Routes } from './gateway-parts.ts';
import type { createGuard } from './guard.ts';
import { sendFailure, sendJson } from './mcp/responder.ts';
import type { Web } from './web/serve-web.ts';

export interface ListenerPorts {
  readonly parts: GatewayParts;
  readonly authenticate: Authenticate;
  readonly openRequests: OpenRequests;
  readonly admit: AdmitPorts;
  readonly guard: ReturnType<typeof createGuard>;
  readonly web: Web;
  readonly routes: Routes;
  readonly a2a: A2aRoutes;
}

/** Guards, authenticates and routes every request. */
export function createListener(ports: ListenerPorts): (request: IncomingMessage, response: ServerResponse) => void {
  const { authenticate, openRequests, admit, guard, web, routes, a2a } = ports;
  const { toolbox, storage, log, mcp, limits, frames } = ports.parts;
  const { adminToken } = ports.parts.security;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (frames.serve(request, response)) return;
    const refusal = guard(request);
    if (refusal !== undefined) return sendJson(response, 403, { error: { code: 'FORBIDDEN', message: refusal } });
    // The web app is public, because it has to load before a user can sign in.
    const page = web(request, response);
    if (page && (await page)) return;
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    // Answered before anything that could fail or wait.
    if (path === '/healthz') return sendJson(response, 200, { status: 'alive' }, answerChallenge(request, adminToken));
    const isProbe = path === '/readyz' || path === '/metrics';
    const identity = await (isProbe ? inTime(authenticate(request)) : authenticate(request)).catch((cause) => {
      if (!(cause instanceof ToolwharfError)) throw cause;
      sendFailure(response, cause);
      return 'rejected' as const;
    });
    if (identity === 'rejected') return;
    // Invalid credentials are an error on public routes too.
    if (!identity && request.headers.authorization !== undefined)
      return sendUnauthorized(request, response, admit.resource);
    if (identity) openRequests.add(request, response, identity);
    if (!isProbe) limits.assertMemory();
    if (identity) limits.unsent.track(response, limits.for(identity).caller);
    if (path === oauthReturnPath && request.method === 'GET')
      return serveOAuthReturn(request, response, { toolbox, storage, log });
    const mcpPath = /^\/mcp(?:\/([^/]+))?\/?$/.exec(path);
    if (mcpPath) {
      const client = admitCaller(request, response, identity, mcpPath[1], admit);
      if (client) await mcp.serve(request, response, client);
      return;
    }
    if ((await routes(request, response, identity)) || (await a2a.serve(request, response, identity))) return;
    sendJson(response, 404, { error: { code: 'NOT_FOUND', message: `There is nothing at ${path}` } });
  }

  return (request, response) => {
    serve(request, response).catch((cause) => {
      if (cause instanceof ToolwharfError) return sendFailure(response, cause);
      log.error('gateway.failed', `A request failed: ${messageOf(cause)}`);
      sendJson(response, 500, { error: { code: 'INTERNAL', message: 'Internal error' } });
    });
  };
}
