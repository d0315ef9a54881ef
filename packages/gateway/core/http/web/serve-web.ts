import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AppFrames } from '../frames.ts';
import { loadFiles, type WebFile } from './load-files.ts';

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const docsPrefix = /^\/docs(?=\/|$)/;
const gzipped = promisify(gzip);

/** The directory of the built web app, also if the gateway runs from source. */
export const webDirectory = fileURLToPath(
  // The bundle is in dist/cli.
  new URL(import.meta.url.endsWith('.ts') ? '../../../../../dist/web' : '../../dist/web', import.meta.url),
);

/** Serves the web app; false, or a promise of it, for a request that is not for the app. */
export type Web = (request: IncomingMessage, response: ServerResponse) => false | Promise<boolean>;

/** Paths that never belong to the app. */
const otherPaths = /^\/(?:api|mcp|metrics|healthz|readyz|a2a|\.well-known)(?:\/|$)/;

/**
 * Serves the built app, and the documentation in `docs` beside it, from memory and without authentication: they contain no data. Their
 * files are loaded with the first request.
 */
export function createWeb(directory: string, frames?: Pick<AppFrames, 'sourceFor'>): Web {
  const serveDocs = createDocs(join(directory, '..', 'docs'));
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
    if (docsPrefix.test(path)) return serveDocs(path, request, response).then(() => true);
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
const docsNotBuilt = 'The documentation is not built: run "npm run docs:build" and restart the gateway.\n';

/** Sent without an ETag, because every response has its own nonce. */
function sendIndex(index: string, request: IncomingMessage, response: ServerResponse, frames?: string): void {
  const nonce = randomBytes(18).toString('base64');
  const body = Buffer.from(index.replaceAll('__NONCE__', nonce));
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
  send(request, response, 200, { ...headers, 'content-security-policy': contentSecurityPolicy(nonce, frames) }, body);
}

/**
 * Serves the built documentation under `/docs` from memory, without authentication: it is the same for everyone. Its files are loaded
 * with the first request.
 */
function createDocs(
  directory: string,
): (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let loading: Promise<ReadonlyMap<string, WebFile>> | undefined;

  return async (path, request, response) => {
    loading ??= loadFiles(directory).then(anchorMissing).then(compress);
    const files = await loading;
    const missing = files.get('/404.html');
    const text = { 'content-type': 'text/plain; charset=utf-8' };
    if (!missing) return send(request, response, 404, text, Buffer.from(docsNotBuilt));
    // The links of the pages are relative: they need the slash.
    if (path === '/docs') return send(request, response, 308, { ...text, location: '/docs/' }, Buffer.from(''));
    const name = path.replace(docsPrefix, '');
    const file = files.get(name) ?? files.get(`${name}.html`) ?? files.get(`${name}index.html`);
    if (file && file !== missing) sendFile(file, request, response);
    // Without the slash at its end, the URL of a page is right.
    else if (name.endsWith('/') && files.has(`${name.slice(0, -1)}.html`))
      send(request, response, 308, { ...text, location: `/docs${name.slice(0, -1)}` }, Buffer.from(''));
    else sendFile(missing, request, response, 404);
  };
}

/** Makes the links of `404.html` absolute: it is served at any path. */
function anchorMissing(files: ReadonlyMap<string, WebFile>): ReadonlyMap<string, WebFile> {
  const missing = files.get('/404.html');
  if (!missing) return files;
  const html = missing.body.toString().replaceAll(/ (href|src|data-search|data-home)="(?![#/]|\w+:)/g, ' $1="/docs/');
  return new Map([...files, ['/404.html', { ...missing, body: Buffer.from(html) }]]);
}

/** The package contains the pages uncompressed, because npm compresses it as a whole. */
async function compress(files: ReadonlyMap<string, WebFile>): Promise<ReadonlyMap<string, WebFile>> {
  const entries = [...files].map(async ([path, file]): Promise<[string, WebFile]> => {
    const isText = /^text\/|json|svg/.test(file.type);
    return [path, isText ? { ...file, gzip: await gzipped(file.body) } : file];
  });
  return new Map(await Promise.all(entries));
}

/** Sends a file in the smallest encoding that the browser accepts. */
function sendFile(file: WebFile, request: IncomingMessage, response: ServerResponse, status = 200): void {
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
  if (status === 200 && (known.includes(etag) || known.includes('*'))) send(request, response, 304, headers);
  else send(request, response, status, headers, body);
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

/** Sends a response with the headers that protect every page. */
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
