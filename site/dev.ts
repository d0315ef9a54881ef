// `npm run docs:dev`: serves the documentation site on loopback, and builds and reloads it when a page changes. `--port 5180` is the default.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import { buildSite } from './build-site.ts';
import { projectFiles } from './read-site.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '5180' } } });
const root = dirname(import.meta.dirname);
const outDir = realpathSync(mkdtempSync(join(tmpdir(), 'toolwharf-docs-')));
process.on('exit', () => rmSync(outDir, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));

const server = await createServer({
  root: outDir,
  configFile: false,
  appType: 'mpa',
  logLevel: 'warn',
  optimizeDeps: { noDiscovery: true },
  server: { host: '127.0.0.1', port: Number(values.port), strictPort: true, watch: { ignored: [`${outDir}/**`] } },
});
let building = Promise.resolve();
let isWaiting = false;

/** Builds one after the other: changes during a build start another one after it. */
function rebuild(): void {
  if (isWaiting) return;
  isWaiting = true;
  building = building.then(async () => {
    isWaiting = false;
    await buildSite(outDir).catch((cause: Error) => console.error(cause.message));
    server.ws.send({ type: 'full-reload' });
  });
}

rebuild();
await building;
server.watcher.add(['docs', 'site', ...projectFiles].map((name) => join(root, name))).on('all', rebuild);
await server.listen();
console.log(`The documentation: http://127.0.0.1:${values.port}/`);
