import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../kernel/version.ts';
import type { AppFrames } from '../apps/app-frames.ts';
import { loadFiles, type WebFile } from './load-files.ts';

/** The directory of the built web app, also if the gateway runs from source. */
export const webDirectory = fileURLToPath(new URL('dist/web', packageRoot));

/** Serves the web app; false, or a promise of it, for a request that is not for the app. */
export type Web = (request: IncomingMessage, response: ServerResponse) => false | Promise<boolean>;

/** Paths that never belong to the app. */
const otherPaths = /^\/(?:api|mcp|metrics|healthz|readyz|a2a|\.well-known)(?:\/|$)/;

/** Serves the built app from memory, without authentication: the app contains no data. Its files are loaded with the first request. */
export function createWeb(directory: string, frames?: Pick<AppFrames, 'sourceFor'>): Web {
  let loading: Promise<ReadonlyMap<string, WebFile>> | undefined;

  async function serve(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    loading ??= loadFiles(directory);
    const files = await loading;
    const page = files.get('/index.html');
    const file = files.get(path);
    if (file && file !== page) {
      sendFile(file, request, response);
      return true;
    }
    const accepted = request.headers.accept ?? '';
    const isNavigation = path === '/' || file === page || (accepted.includes('text/html') && !isAsset(path));
    if (!isNavigation) return false;
    if (page) sendIndex(page.body.toString('utf8'), request, response, frames?.sourceFor(request));
    else if (path !== '/') return false;
    else send(request, response, 404, { 'content-type': 'text/plain; charset=utf-8' }, Buffer.from(notBuilt));
    return true;
  }

  return (request, response) => {
    const { method, url = '/' } = request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const path = decode(url.replace(/[?#].*$/s, ''));
    return otherPaths.test(path) ? false : serve(path, request, response);
  };
}

const isAsset = (path: string) => /^\/assets(?:\/|$)/.test(path);

/** Decodes percent-encoding; malformed text is returned unchanged and matches no file. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const notBuilt = `The Toolwharf gateway is running, but its web app is not built: run "npm run build" and restart the gateway.
The MCP endpoint is at /mcp, the API at /api.
`;

/** Sent without an ETag, because every response has its own nonce. */
function sendIndex(index: string, request: IncomingMessage, response: ServerResponse, frames?: string): void {
  const nonce = randomBytes(18).toString('base64');
  const body = Buffer.from(index.replaceAll('__NONCE__', nonce));
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
  send(request, response, 200, { ...headers, 'content-security-policy': contentSecurityPolicy(nonce, frames) }, body);
}

function sendFile(file: WebFile, request: IncomingMessage, response: ServerResponse): void {
  const { encoding, body } = chooseEncoding(file, request.headers['accept-encoding'] ?? '');
  const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`);
  const headers = {
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'accept-encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) send(request, response, 304, headers);
  else send(request, response, 200, headers, body);
}

/** The smallest variant of a file that the browser accepts. */
function chooseEncoding(file: WebFile, accepted: string): { readonly encoding?: string; readonly body: Buffer } {
  const encodings = new Set(
    accepted.split(',').flatMap((part) => {
      const [name = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [name];
    }),
  );
  if (file.brotli && encodings.has('br')) return { encoding: 'br', body: file.brotli };
  if (file.gzip && encodings.has('gzip')) return { encoding: 'gzip', body: file.gzip };
  return { body: file.body };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: Buffer,
): void {
  const length = body && { 'content-length': String(body.length) };
  response.writeHead(status, {
    'content-security-policy': contentSecurityPolicy(),
    ...securityHeaders,
    ...headers,
    ...length,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Allows scripts, styles and connections of this origin only, and frames of apps. */
function contentSecurityPolicy(nonce?: string, frames = "'none'"): string {
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frames}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
