import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

export interface WebFile {
  readonly body: Buffer;
  readonly brotli?: Buffer;
  readonly gzip?: Buffer;
  readonly type: string;
  readonly etag: string;
  /** The file name contains a content hash. */
  readonly isHashed: boolean;
}

/**
 * Loads every file below a directory with its precompressed variants, keyed by URL path; empty if the directory does not exist.
 * Requests are answered from this map and never from disk.
 */
export async function loadFiles(directory: string): Promise<ReadonlyMap<string, WebFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const bodies = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    bodies.set(`/${relative(directory, file).split(sep).join('/')}`, await readFile(file));
  }
  const files = new Map<string, WebFile>();
  for (const [path, body] of bodies) {
    const type = types.get(extname(path));
    if (type === undefined) continue;
    const brotli = bodies.get(`${path}.br`);
    const gzip = bodies.get(`${path}.gz`);
    files.set(path, {
      body,
      brotli,
      gzip,
      type,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      isHashed: path.startsWith('/assets/'),
    });
  }
  return files;
}

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.json', 'application/json'],
  ['.map', 'application/json'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.webmanifest', 'application/manifest+json'],
  ['.woff2', 'font/woff2'],
]);
