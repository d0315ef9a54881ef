import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebFile } from './load-files.ts';

/** Sends a file in the smallest encoding that the browser accepts. */
export function sendFile(file: WebFile, request: IncomingMessage, response: ServerResponse, status = 200): void {
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
export function send(
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
export function contentSecurityPolicy(nonce?: string, frames = "'none'"): string {
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
