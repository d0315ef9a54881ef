import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ToolwharfError } from '../../../contract/errors.ts';
import { isLoopbackUrl } from '../http/secure-url.ts';
import type { OAuthCallback, OAuthCallbackOptions, OpenOAuthCallback } from './oauth-callback.ts';

/** How the OAuth callback on loopback opens the sign-in page and how long it waits. */
export interface LoopbackCallbackOptions {
  /** Shows the sign-in URL to the person, for instance in a browser. */
  readonly open: (url: URL, server: string) => void | Promise<void>;
  /** Time limit for the person; default 300 000. */
  readonly timeoutMs?: number;
}

/** Receives the redirect of a sign-in on 127.0.0.1; listens only while a sign-in is pending. */
export function createLoopbackCallback(options: LoopbackCallbackOptions): OAuthCallback {
  const { open, timeoutMs = 300_000 } = options;
  return {
    async open(wanted) {
      let respond: RequestListener = (_request, response) => answer(response, 404, 'No sign-in is pending.');
      const { createServer } = await import('node:http');
      const server = createServer((request, response) => respond(request, response));
      const redirectUrl = await listen(server, wanted);
      return {
        redirectUrl,
        authorize: async (url, { server: name, state, signal }) => {
          const deadline = AbortSignal.timeout(timeoutMs);
          const ended = AbortSignal.any([signal, deadline]);
          const redirect = new Promise<URLSearchParams>((resolve, reject) => {
            ended.addEventListener('abort', () => reject(ended.reason), { once: true });
            if (ended.aborted) reject(ended.reason);
            respond = createResponder(redirectUrl, state, resolve);
          });
          // A failure to open the browser ends the wait too.
          const shown = (async () => open(url, name))();
          const [params] = await Promise.all([redirect, shown]).catch((cause) => {
            if (!deadline.aborted || signal.aborted) throw cause;
            throw new ToolwharfError('OAUTH_FAILED', `The sign-in to server '${name}' timed out: start again`);
          });
          return params;
        },
        [Symbol.asyncDispose]: () => closeServer(server),
      } satisfies OpenOAuthCallback;
    },
  };
}

const host = '127.0.0.1';
const path = '/oauth/callback';

async function listen(server: Server, { redirectUrl, preferredUrl }: OAuthCallbackOptions): Promise<string> {
  if (redirectUrl !== undefined) {
    const url = new URL(redirectUrl);
    if (url.protocol !== 'http:' || !isLoopbackUrl(url)) {
      throw new ToolwharfError(
        'CONFIG_INVALID',
        `Can't listen at '${redirectUrl}': redirectUrl must be http on this machine`,
      );
    }
    const address = /^\d/.test(url.hostname) ? url.hostname : url.hostname === '[::1]' ? '::1' : host;
    await bind(server, Number(url.port || 80), address).catch((cause) => {
      throw new ToolwharfError(
        'OAUTH_FAILED',
        `Can't listen at '${redirectUrl}': free its port, or remove redirectUrl`,
        { cause },
      );
    });
    return redirectUrl;
  }
  const preferred = preferredUrl === undefined ? null : URL.parse(preferredUrl);
  if (preferred?.hostname === host && preferred.pathname === path && preferred.port) {
    const bound = await bind(server, Number(preferred.port)).then(
      () => true,
      () => false,
    );
    if (bound) return preferred.href;
  }
  await bind(server, 0);
  return `http://${host}:${(server.address() as AddressInfo).port}${path}`;
}

function bind(server: Server, port: number, address = host): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function createResponder(
  redirectUrl: string,
  state: string,
  onRedirect: (params: URLSearchParams) => void,
): RequestListener {
  const { pathname } = new URL(redirectUrl);
  return (request, response) => {
    const url = URL.parse(request.url ?? '', redirectUrl);
    if (request.method !== 'GET' || url?.pathname !== pathname) return answer(response, 404, 'Not found.');
    const params = url.searchParams;
    // Any page can send a browser here, so a request without the state is refused and does not end the sign-in.
    if (params.get('state') !== state) {
      return answer(response, 400, 'This is not the sign-in that was started. Go back and start again.');
    }
    const outcome = params.has('code') ? 'Thank you.' : 'The sign-in was not completed.';
    answer(response, 200, `${outcome} You can close this window.`);
    onRedirect(params);
  };
}

function answer(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><html lang="en"><title>Toolwharf</title><p>${sentence}</p></html>`);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // A browser may keep its connection open; the last response has been sent.
    setTimeout(() => server.closeAllConnections(), 200).unref();
  });
}
