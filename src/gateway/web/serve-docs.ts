import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadFiles, type WebFile } from './load-files.ts';
import { send, sendFile } from './send-file.ts';

const prefix = /^\/docs(?=\/|$)/;

/** Whether a path belongs to the documentation. */
export const isDocsPath = (path: string): boolean => prefix.test(path);

/**
 * Serves the built documentation under `/docs` from memory, without authentication: it is the same for everyone. Its files are loaded
 * with the first request.
 */
export function createDocs(
  directory: string,
): (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void> {
  let loading: Promise<ReadonlyMap<string, WebFile>> | undefined;

  return async (path, request, response) => {
    loading ??= loadFiles(directory).then(anchorMissing).then(compress);
    const files = await loading;
    const missing = files.get('/404.html');
    const text = { 'content-type': 'text/plain; charset=utf-8' };
    if (!missing) return send(request, response, 404, text, Buffer.from(notBuilt));
    // The links of the pages are relative: they need the slash.
    if (path === '/docs') return send(request, response, 308, { ...text, location: '/docs/' }, Buffer.from(''));
    const name = path.replace(prefix, '');
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

const gzipped = promisify(gzip);

/** The package contains the pages uncompressed, because npm compresses it as a whole. */
async function compress(files: ReadonlyMap<string, WebFile>): Promise<ReadonlyMap<string, WebFile>> {
  const entries = [...files].map(async ([path, file]): Promise<[string, WebFile]> => {
    const isText = /^text\/|json|svg/.test(file.type);
    return [path, isText ? { ...file, gzip: await gzipped(file.body) } : file];
  });
  return new Map(await Promise.all(entries));
}

const notBuilt = 'The documentation is not built: run "npm run docs:build" and restart the gateway.\n';
