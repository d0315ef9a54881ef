// Writes web/src/api/client.ts from the routes of the gateway. With --check it only tells whether that file is up to date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { allRoutes } from '../src/gateway/api/all-routes.ts';
import { toOpenApi } from '../src/gateway/api/openapi.ts';
import { toTypedClient } from '../src/gateway/api/typed-client.ts';

const file = new URL('../web/src/api/client.ts', import.meta.url);
const text = toTypedClient(toOpenApi(allRoutes));
if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error('web/src/api/client.ts is out of date: run npm run api-client');
    process.exitCode = 1;
  }
} else {
  await mkdir(new URL('.', file), { recursive: true });
  await writeFile(file, text);
}
