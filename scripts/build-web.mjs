// Builds the app into dist/web (or the directory given), each file beside its compressed forms.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { root } from './project.mjs';

const outDir = resolve(process.argv[2] ?? join(root, 'dist', 'web'));
await build({ root: join(root, 'packages', 'web'), logLevel: 'warn', build: { outDir, emptyOutDir: true } });

let firstLoad = 0;
const index = readFileSync(join(outDir, 'index.html'), 'utf8');
for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue;
  const file = join(entry.parentPath, entry.name);
  const body = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  const gzip = gzipSync(body, { level: 9 });
  writeFileSync(`${file}.gz`, gzip);
  if (index.includes(entry.name) && entry.name.endsWith('.js')) firstLoad += gzip.length;
}
console.log(`The app is in dist/web; its first load is ${Math.round(firstLoad / 1_000)} kB of compressed JavaScript.`);
