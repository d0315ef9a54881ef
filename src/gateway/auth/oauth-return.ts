import type { IncomingMessage, ServerResponse } from 'node:http';
import { ToolwharfError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { toDisplayText } from '../../policy/display-text.ts';
import type { Toolbox } from '../../toolbox.ts';

/** Where a person's browser comes back to after signing in to a server. */
export const oauthReturnPath = '/api/oauth/callback';

/** That place's address; undefined while the port is not known, or where browsers on this machine do not reach it. */
export function oauthReturnUrl(host: string, port: number): string | undefined {
  if (port === 0 || !['127.0.0.1', 'localhost', '::1'].includes(host)) return undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${oauthReturnPath}`;
}

/** Takes what the browser brings. It has no key of ours: the state, which only the one who began was given, lets it in. */
export async function serveOAuthReturn(
  request: IncomingMessage,
  response: ServerResponse,
  { toolbox, log }: { readonly toolbox: Toolbox; readonly log: Log },
): Promise<void> {
  const params = new URL(request.url ?? '/', 'http://localhost').searchParams;
  try {
    const server = await toolbox.finishSignIn(params);
    if (!server) return send(response, 404, 'No sign-in waits for this answer. Start it again.');
    const name = toDisplayText(server.name, { maxLength: 100 });
    const { state, reason } = server.status;
    const isUp = state === 'connected' || state === 'degraded';
    send(
      response,
      200,
      isUp ? `Signed in: server ${name} is connected.` : `Signed in, but server ${name}: ${reason ?? state}`,
    );
  } catch (cause) {
    if (!(cause instanceof ToolwharfError)) throw cause;
    log.warning('oauth.return-failed', `A sign-in could not be finished: ${cause.message}`);
    send(response, cause.status, cause.message);
  }
}

/** Plain text: nothing that came with the request can become a part of a page. */
function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${text}\n`);
}
