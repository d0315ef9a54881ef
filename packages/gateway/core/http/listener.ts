import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, ToolwharfError } from '../../../contract/errors.ts';
import { answerChallenge } from '../auth/admin-token.ts';
import { type AdmitPorts, admitCaller, sendUnauthorized } from '../auth/admit-caller.ts';
import { type Authenticate, type Identity, inTime } from '../auth/identity.ts';
import { oauthReturnPath, serveOAuthReturn } from '../auth/oauth-return.ts';
import type { OpenRequests } from '../auth/open-requests.ts';
import type { GatewayParts, Routes } from '../gateway-parts.ts';
import { sendFailure, sendJson } from '../mcp/responder.ts';
import type { Guard } from './guard.ts';
import type { Web } from './web/serve-web.ts';

export interface ListenerPorts {
  readonly parts: GatewayParts;
  readonly authenticate: Authenticate;
  readonly openRequests: OpenRequests;
  readonly admit: AdmitPorts;
  readonly guard: Guard;
  readonly web: Web;
  readonly routes: Routes;
}

/** The work that is left of a request; undefined if it has been answered. */
type Rest = Promise<void> | undefined;

/**
 * Guards, authenticates and routes every request. Each step goes on at once if it can: most requests are tool calls, for
 * which nothing has to be looked up before the endpoint reads them.
 */
export function createListener(ports: ListenerPorts): (request: IncomingMessage, response: ServerResponse) => void {
  const { authenticate, openRequests, admit, guard, web, routes } = ports;
  const { toolbox, storage, log, mcp, limits, frames } = ports.parts;
  const { adminToken } = ports.parts.security;

  function serve(request: IncomingMessage, response: ServerResponse): Rest {
    if (hasTwoHosts(request)) {
      const error = new ToolwharfError('REQUEST_INVALID', 'The request has more than one Host header');
      sendFailure(response, error);
      return undefined;
    }
    if (frames.serve(request, response)) return undefined;
    const refusal = guard(request);
    if (refusal !== undefined) {
      sendJson(response, 403, { error: { code: 'FORBIDDEN', message: refusal } });
      return undefined;
    }
    // The web app is public, because it has to load before a user can sign in.
    const page = web(request, response);
    return page
      ? page.then((isServed) => (isServed ? undefined : serveOthers(request, response)))
      : serveOthers(request, response);
  }

  function serveOthers(request: IncomingMessage, response: ServerResponse): Rest {
    const path = pathOf(request);
    // Answered before anything that could fail or wait.
    if (path === '/healthz') {
      sendJson(response, 200, { status: 'alive' }, answerChallenge(request, adminToken));
      return undefined;
    }
    const isProbe = path === '/readyz' || path === '/metrics';
    const identity = isProbe ? inTime(authenticate(request)) : authenticate(request);
    if (identity instanceof Promise) return identity.then((known) => serveKnown(request, response, path, known));
    return serveKnown(request, response, path, identity);
  }

  function serveKnown(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    identity: Identity | undefined,
  ): Rest {
    // Invalid credentials are an error on public routes too.
    if (!identity && request.headers.authorization !== undefined) {
      sendUnauthorized(request, response, admit.resource);
      return undefined;
    }
    if (identity) openRequests.add(request, response, identity);
    if (path !== '/readyz' && path !== '/metrics') limits.assertMemory();
    if (identity) limits.unsent.track(response, limits.for(identity).caller);
    if (path === oauthReturnPath && request.method === 'GET')
      return serveOAuthReturn(request, response, { toolbox, storage, log });
    const mcpPath = path === '/mcp' ? withoutProfile : /^\/mcp(?:\/([^/]+))?\/?$/.exec(path);
    if (!mcpPath) return serveRoutes(request, response, path, identity);
    const client = admitCaller(request, response, identity, mcpPath[1], admit);
    return client && mcp.serve(request, response, client);
  }

  async function serveRoutes(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    identity: Identity | undefined,
  ): Promise<void> {
    if (await routes(request, response, identity)) return;
    sendJson(response, 404, { error: { code: 'NOT_FOUND', message: `There is nothing at ${path}` } });
  }

  function fail(response: ServerResponse, cause: unknown): void {
    if (cause instanceof ToolwharfError) {
      sendFailure(response, cause);
      return;
    }
    log.error('gateway.failed', `A request failed: ${messageOf(cause)}`);
    sendJson(response, 500, { error: { code: 'INTERNAL', message: 'Internal error' } });
  }

  return (request, response) => {
    try {
      serve(request, response)?.catch((cause) => fail(response, cause));
    } catch (cause) {
      fail(response, cause);
    }
  };
}

/** Of several `Host` headers Node shows the first, while a proxy may have used another one (RFC 9112, section 3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

const withoutProfile: readonly (string | undefined)[] = [];

function pathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
