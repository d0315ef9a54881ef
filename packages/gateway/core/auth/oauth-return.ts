import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { takesCalls } from '../../../contract/connections.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { Caller } from '../../../toolwharf/kernel/tool.ts';
import { toDisplayText } from '../../../toolwharf/policy/display-text.ts';
import type { InternalToolbox } from '../../../toolwharf/toolbox.ts';
import { isEncrypted } from '../http/guard.ts';
import { type ActPorts, recordAct } from '../rest/record-act.ts';

/** The OAuth redirect path: the browser returns here after signing in to a server. */
export const oauthReturnPath = '/api/oauth/callback';

/**
 * The OAuth redirect URL: below `gateway.url`, or at the address on this machine. Undefined if the port is unknown or a
 * browser on this machine cannot reach the gateway.
 */
export function oauthReturnUrl(publicUrl: string | undefined, host: string, port: number): string | undefined {
  if (publicUrl !== undefined) return new URL(oauthReturnPath, publicUrl).href;
  if (port === 0 || !['127.0.0.1', 'localhost', '::1'].includes(host)) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${oauthReturnPath}`;
}

/**
 * Finishes a sign-in. The browser sends no key; the OAuth `state`, which only the initiator of the sign-in knows, authorizes it.
 * The sign-in to a person's own account also needs the cookie of the browser that started it.
 */
export async function serveOAuthReturn(
  request: IncomingMessage,
  response: ServerResponse,
  { toolbox, ...ports }: ActPorts & { readonly toolbox: InternalToolbox },
): Promise<void> {
  const params = new URL(request.url ?? '/', 'http://localhost').searchParams;
  try {
    const account = await toolbox.accounts.finishSignIn(params, readBrowserCookie(request));
    if (account) {
      const { owner: id, ownerName: name, server, label } = account;
      const caller: Caller = { id, kind: 'person', name };
      await recordAct({ operation: 'finishSignIn', caller, details: { server, label } }, ports, async () => {});
      response.setHeader('location', `/accounts?connected=${encodeURIComponent(server)}`);
      return send(response, 303, `Your account at server ${toDisplayText(server, { maxLength: 100 })} is connected.`);
    }
    const server = await toolbox.servers.finishSignIn(params);
    if (!server) return send(response, 404, 'No sign-in is waiting for this response. Start the sign-in again.');
    const details = { server: server.name };
    await recordAct({ operation: 'finishSignIn', caller: browser, details }, ports, async () => {});
    const name = toDisplayText(server.name, { maxLength: 100 });
    const { state, reason } = server.status;
    const isUp = takesCalls(state);
    send(
      response,
      200,
      isUp ? `Signed in: server ${name} is connected.` : `Signed in, but server ${name}: ${reason ?? state}`,
    );
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    ports.log.warning('oauth.return-failed', `Could not finish a sign-in: ${cause.message}`);
    send(response, cause.status, cause.message);
  }
}

/** Creates the secret of a browser. A browser that has one keeps it, so that several sign-ins can be open at a time. */
export function giveBrowserCookie(request: IncomingMessage): { readonly browser: string; readonly cookie: string } {
  const browser = readBrowserCookie(request) ?? randomBytes(32).toString('base64url');
  const isSecure = isEncrypted(request.socket) || /^https:/i.test(request.headers.origin ?? '');
  // Lax: the browser sends it when the authorization server, which is another site, redirects to the gateway.
  const parts = ['Path=/api', 'Max-Age=3600', 'HttpOnly', 'SameSite=Lax'];
  return { browser, cookie: [`${nameFor(request)}=${browser}`, ...parts, ...(isSecure ? ['Secure'] : [])].join('; ') };
}

/** The caller who opened the sign-in URL: the request carries no other credentials. */
const browser: Caller = { id: 'sign-in', kind: 'person' };

/** Plain text, so that request parameters cannot inject HTML. */
function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${text}\n`);
}

/** The secret of the browser that started a sign-in to a server, which the redirect of the sign-in must bring back. */
function readBrowserCookie(request: IncomingMessage): string | undefined {
  const name = nameFor(request);
  const found = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
  const value = found.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** The port is part of the name, because browsers share cookies between the ports of a host. */
function nameFor({ headers }: IncomingMessage): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1];
  return port === undefined ? 'toolwharf-browser' : `toolwharf-browser-${port}`;
}
