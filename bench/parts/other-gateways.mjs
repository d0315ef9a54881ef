// Other gateways in front of the server of the SDK 1.x: from npm, started from a folder in which they are installed, and the
// least that a gateway in Node does.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { follow, startForwarder } from './processes.mjs';
import { eventually } from './workplace.mjs';

/** How each gateway is started; `stdio` is the specification of a stdio server, `url` that of the same server over HTTP. */
export const otherGateways = {
  'mcp-hub': {
    // It keeps one connection per configured server, and its own endpoint has the transport of 2024-11-05.
    upstream: 'http',
    era: 'sse',
    tool: 'sdk__echo',
    args: ({ port, url, directory }) => {
      const config = join(directory, 'mcp-hub.json');
      writeFileSync(config, JSON.stringify({ mcpServers: { sdk: { url } } }));
      return ['--port', String(port), '--config', config];
    },
  },
  'mcp-proxy': {
    upstream: 'stdio',
    era: 'legacy',
    tool: 'echo',
    args: ({ port, stdio }) => ['--port', String(port), '--server', 'stream', '--', stdio.command, ...stdio.args],
  },
  supergateway: {
    // It starts one server per session.
    upstream: 'stdio',
    era: 'legacy',
    tool: 'echo',
    args: ({ port, stdio }) => {
      const command = [stdio.command, ...stdio.args].join(' ');
      const output = ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none'];
      return ['--stdio', command, ...output, '--port', String(port)];
    },
  },
};

/** Starts one of them; `installed` is the folder with its `node_modules`. */
export async function startOther(name, { installed, directory, stdio, url }) {
  const kind = otherGateways[name];
  if (!kind) throw new Error(`--against knows ${Object.keys(otherGateways).join(', ')}, not '${name}'`);
  const home = join(installed, 'node_modules', name);
  const { bin, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const script = join(home, typeof bin === 'string' ? bin : bin[name]);
  const port = await freePort();
  const child = spawn(process.execPath, [script, ...kind.args({ port, stdio, url, directory })], {
    stdio: 'ignore',
    env: { ...process.env, ...stdio.env },
  });
  const address = `http://127.0.0.1:${port}/mcp`;
  const { era, tool, upstream } = kind;
  return { ...follow(child), name: `${name} ${version}`, address, era, tool, upstream };
}

/** The `mcp-proxy` of `cargo install mcp-proxy --root FOLDER`: on the path, or in the folder's `bin`. It shares its name with one from npm. */
export function findRustProxy(installed) {
  const folders = [...(installed ? [join(installed, 'bin')] : []), ...(process.env.PATH ?? '').split(delimiter)];
  const program = folders.map((folder) => join(folder, 'mcp-proxy')).find((file) => existsSync(file));
  // That of npm is a script.
  if (program === undefined || readFileSync(program).subarray(0, 2).toString() === '#!') return undefined;
  return async ({ directory, url }) => {
    const port = await freePort();
    const config = join(directory, 'mcp-proxy.toml');
    const listen = `[proxy]\nname = "bench"\n[proxy.listen]\nhost = "127.0.0.1"\nport = ${port}\n`;
    writeFileSync(config, `${listen}[[backends]]\nname = "sdk"\ntransport = "http"\nurl = ${JSON.stringify(url)}\n`);
    const child = spawn(program, ['--config', config], { stdio: 'ignore' });
    const address = `http://127.0.0.1:${port}/`;
    return { ...follow(child), name: 'mcp-proxy in Rust', address, era: 'legacy', tool: 'sdk/echo', upstream: 'http' };
  };
}

/** The floors: programs that forward a call and do nothing else, or sync it to the disk first. */
export const forwarders = [
  ({ url }) => openForwarder('bare forwarder', { UPSTREAM: url }),
  ({ url, directory }) =>
    openForwarder('bare forwarder that syncs', { UPSTREAM: url, SYNC: join(directory, 'forwarded') }),
];

async function openForwarder(name, env) {
  return { ...(await startForwarder(env)), name, era: 'legacy', tool: 'echo', upstream: 'http' };
}

/** Waits until the gateway answers a call. A request that it received too early may never be answered. */
export function whenAnswering(open, tool, args) {
  return eventually(() => Promise.race([callOnce(open, tool, args), failAfter(10_000)]), { everyMs: 200 });
}

async function callOnce(open, tool, args) {
  const client = await open();
  try {
    const { body } = await client.ask(1, 'tools/call', { name: tool, arguments: args });
    if (!body.includes('hello')) throw new Error(`No answer yet: ${body.subarray(0, 200)}`);
  } finally {
    client.close();
  }
}

function failAfter(ms) {
  return new Promise((_, reject) => setTimeout(() => reject(new Error('No answer in time')), ms).unref());
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
