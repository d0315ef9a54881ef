// The servers that calls are measured with: typical servers, and the raw echo server as the lower bound.
import { fileURLToPath } from 'node:url';
import { echoStdio, start, startEcho } from './processes.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const sdkHttp = here('../servers/sdk-http.mjs');
const sdkStdio = here('../servers/sdk-stdio.mjs');

const http = (id, name, env) => ({ id, name, start: () => start(sdkHttp, { env }) });
const stdio = (id, name, script, env = {}) => ({ id, name, spec: { command: process.execPath, args: [script], env } });

/** The floor: a server over `node:http` that does as little as a server can and answers in plain JSON. */
export const rawHttp = { id: 'raw', name: 'raw echo server, JSON', start: () => startEcho() };

/** The server of the figures that README and docs lead with. */
export const sdkEvents = http('sdk1', 'SDK 1.x, stateful, event stream', { SDK: '1' });

/** The same server with JSON answers. */
export const sdkJson = http('sdk1json', 'SDK 1.x, stateful, JSON', { SDK: '1', ANSWERS: 'json' });

/** The same SDK as a program. */
export const sdkStdio1 = stdio('sdk1stdio', 'SDK 1.x, stdio', sdkStdio, { SDK: '1' });

export const upstreams = [
  rawHttp,
  sdkEvents,
  sdkJson,
  http('sdk1stateless', 'SDK 1.x, stateless, event stream', { SDK: '1', SESSIONS: 'stateless' }),
  http('sdk2', 'SDK 2.x, modern era, event stream', { SDK: '2' }),
  http('sdk2json', 'SDK 2.x, modern era, JSON', { SDK: '2', ANSWERS: 'json' }),
  stdio('rawstdio', 'raw echo server, stdio', echoStdio),
  sdkStdio1,
  stdio('sdk2stdio', 'SDK 2.x, stdio', sdkStdio, { SDK: '2' }),
];

/** Starts an HTTP upstream; the gateway starts stdio servers itself. */
export async function openUpstream({ id, name, start: open, spec }, keep) {
  const process = open && (await keep(open()));
  return { id, name, process, spec: spec ?? { url: process.address } };
}
