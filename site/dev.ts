// `npm run docs:dev`: serves the documentation site on loopback, and builds and reloads it when a page changes. `--port 5180` is the default.
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSite } from './build-site.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '5180' } } });
const root = dirname(import.meta.dirname);
const outDir = mkdtempSync(join(tmpdir(), 'toolwharf-docs-'));
process.on('exit', () => rmSync(outDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));

const types = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript'],
  ['.css', 'text/css'],
  ['.json', 'application/json'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);
const reload = `<script>new EventSource('/reload').onmessage = () => location.reload()</script>`;
const open = new Set<ServerResponse>();

let building: Promise<void> | undefined;
let isStale = false;

/** Builds one after the other: a change during a build starts another one after it. */
function rebuild(): void {
  isStale = true;
  building ??= (async () => {
    while (isStale) {
      isStale = false;
      await buildSite(outDir).catch((cause: Error) => console.error(cause.message));
    }
    building = undefined;
    for (const response of open) response.write('data: changed\n\n');
  })();
}

rebuild();
for (const folder of ['docs', 'site']) watch(join(root, folder), { recursive: true }, () => rebuild());
watch(root, (_event, name) => {
  if (name?.endsWith('.md')) rebuild();
});

const server = createServer(async (request, response) => {
  const path = normalize(decodeURI((request.url ?? '/').replace(/[?#].*$/, '')));
  if (path === '/reload') {
    open.add(response);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    request.once('close', () => open.delete(response));
    return;
  }
  await building;
  const file = join(outDir, path.endsWith('/') ? `${path}index.html` : path);
  const found = existsSync(file) && extname(file) !== '' ? file : join(outDir, '404.html');
  const type = types.get(extname(found)) ?? 'application/octet-stream';
  response.writeHead(found === file ? 200 : 404, { 'content-type': type, 'cache-control': 'no-store' });
  const body = readFileSync(found);
  response.end(type.startsWith('text/html') ? Buffer.concat([body, Buffer.from(reload)]) : body);
});
server.listen(Number(values.port), '127.0.0.1', () =>
  console.log(`The documentation: http://127.0.0.1:${values.port}/`),
);
