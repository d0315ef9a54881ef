import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliProgram } from '../support/cli-program.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { isAlive } from '../support/processes.ts';
import { cliIn, compileCache } from '../support/run-cli.ts';
import { stdioHere } from '../support/stdio-here.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const config = await cli.config({
  gateway: { port: 0 },
  servers: { old: fixture('legacy'), recent: fixture('modern') },
  profiles: { small: { servers: ['old'], allow: ['old/echo'], naming: 'plain' } },
});
const data = directory.file('data');
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGatewayHere(cli, data, ['-c', config]);
  await waitFor(() => ['✔ old', '✔ recent'].every((line) => gateway.stderr().includes(line)), { what: 'the servers' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const eras = [
  { era: 'legacy', negotiation: {} },
  { era: 'modern', negotiation: { versionNegotiation: { mode: { pin: '2026-07-28' } } } },
] as const;

function createClient(negotiation: object): Client {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} }, ...negotiation });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }) as never);
  return client;
}

/** A client of `toolwharf stdio` in this process. */
async function connectHere(negotiation: object, args: readonly string[] = [], env: Record<string, string> = {}) {
  const client = createClient(negotiation);
  await client.connect(stdioHere(cli, args, { TOOLWHARF_DATA_DIR: data, ...env }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** A client of a process of `toolwharf stdio`. */
async function connect(negotiation: object, args: readonly string[] = [], env: Record<string, string> = {}) {
  const client = createClient(negotiation);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliProgram, 'stdio', ...args],
    cwd: directory.path,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: directory.path,
      TOOLWHARF_DATA_DIR: data,
      ...compileCache,
      ...env,
    },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return { client, pid: () => transport.pid ?? 0, [Symbol.asyncDispose]: () => client.close() };
}

const textOf = (result: object) => (result as { content: { text?: string }[] }).content[0]?.text;
const listCalls = async () => JSON.parse((await cli.run(['calls', '--json'])).stdout) as { tool: string }[];

describe.each(eras)('toolwharf stdio as a proxy for a $era client', ({ negotiation }) => {
  test('the client uses the servers of the running gateway, and the gateway records its calls', async () => {
    await using connected = await connect(negotiation);
    const { client } = connected;
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['old__echo', 'recent__echo']));
    const text = `via ${JSON.stringify(negotiation)}`;
    expect(textOf(await client.callTool({ name: 'old__echo', arguments: { text } }))).toBe(text);
    expect(await listCalls()).toContainEqual(expect.objectContaining({ tool: 'mcp_old_echo', arguments: { text } }));
    expect((await client.readResource({ uri: 'memo://one' })).contents).toHaveLength(1);
  });

  test("a server's question reaches the client through the proxy", async () => {
    await using connected = await connectHere(negotiation);
    for (const server of ['old', 'recent']) {
      const call = { name: `${server}__ask`, arguments: { question: 'who?' } };
      expect(textOf(await connected.client.callTool(call))).toContain('Ada');
    }
  });

  test('the client is limited to the profile and the key it was given', async () => {
    const { stdout: key } = await cli.run(['keys', 'create', `k${Math.random()}`, '--profile', 'small']);
    await using connected = await connectHere(negotiation, ['--profile', 'small'], { TOOLWHARF_API_KEY: key.trim() });
    expect((await connected.client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    const refused = await cli.run(['stdio'], { env: { TOOLWHARF_API_KEY: key.trim() } });
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining("no profile 'default'") });
  });

  test('a call that the client cancels is cancelled in the gateway', async () => {
    await using connected = await connectHere(negotiation);
    const abort = new AbortController();
    const call = { name: 'old__sleep', arguments: { ms: 600_000 } };
    const result = connected.client.callTool(call, { signal: abort.signal, timeout: 600_000 });
    const ended = result.catch((cause: unknown) => cause);
    const isRunning = async () => {
      const { stdout } = await cli.run(['calls', '--json', '--status', 'running']);
      return JSON.parse(stdout).length > 0;
    };
    await waitFor(isRunning, { what: 'the start of the call' });
    abort.abort();
    await ended;
    await waitFor(async () => !(await isRunning()), { what: 'the end of the call' });
  });
});

test('messages that a client sends before the answer to initialize are delivered in order', async () => {
  const { child, ended } = cli.start(['stdio'], { input: null });
  const answers: { id?: unknown; result?: { tools?: object[] } }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line)));
  const clientInfo = { name: 'raw', version: '1' };
  for (const message of [
    'no JSON',
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ]) {
    const line = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`${line}\n`);
  }
  // The client waits for no answer before it ends its input.
  child.stdin.end();
  expect((await ended).code).toBe(0);
  expect(answers.find(({ id }) => id === 2)?.result?.tools?.length).toBeGreaterThan(0);
  expect(answers.find(({ id }) => id === null)).toBeDefined();
});

test('toolwharf stdio starts a gateway where none runs, and two clients share it', async () => {
  const env = { TOOLWHARF_DATA_DIR: directory.file('started') };
  await mkdir(env.TOOLWHARF_DATA_DIR);
  // A command that crashed while it started a gateway left this file; no process has such an id.
  await writeFile(directory.file('started/gateway.start'), String(2 ** 30));
  const [one, two] = await Promise.all([connect({}, ['-c', config], env), connect({}, ['-c', config], env)]);
  const record = JSON.parse(await readFile(directory.file('started/gateway.json'), 'utf8')) as { pid: number };
  try {
    for (const { client } of [one, two]) {
      const has = async () => (await client.listTools()).tools.some(({ name }) => name === 'old__echo');
      await waitFor(has, { what: 'the tools of a server that starts' });
    }
    const { source } = await cli.run(['servers'], { env });
    expect(source).toMatch(/^Using the gateway at /);
    const other = await cli.config({ servers: {} });
    const refused = await cli.run(['stdio', '-c', other], { env });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('omit --config, or use --local') });
  } finally {
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
    process.kill(record.pid, 'SIGTERM');
    await waitFor(() => !isAlive(record.pid), { what: 'the end of the gateway' });
  }
});

test('toolwharf stdio waits for the gateway that another command is starting', async () => {
  const env = { TOOLWHARF_DATA_DIR: directory.file('starting') };
  await mkdir(env.TOOLWHARF_DATA_DIR);
  await writeFile(directory.file('starting/gateway.start'), String(process.pid));
  const connecting = connect({}, ['-c', config], env);
  await using _other = await startGatewayHere(cli, env.TOOLWHARF_DATA_DIR, ['-c', config]);
  await using connected = await connecting;
  expect((await connected.client.listTools()).tools.length).toBeGreaterThan(0);
  expect(existsSync(directory.file('starting/gateway.log'))).toBe(false);
});

test('a gateway that cannot be started is reported with the reason', async () => {
  const broken = await cli.config('servers: [');
  const env = { TOOLWHARF_DATA_DIR: directory.file('broken') };
  const { code, stdout, stderr } = await cli.start(['stdio', '-c', broken], { env }).ended;
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain('The gateway could not be started');
  expect(stderr).toContain(broken);
});

test('clients of both eras continue after a restart on another port, and a program on the old port gets no credentials', async () => {
  const env = { TOOLWHARF_DATA_DIR: directory.file('restarted') };
  const start = () => startGatewayHere(cli, env.TOOLWHARF_DATA_DIR, ['-c', config]);
  const first = await start();
  const { stdout: key } = await cli.run(['keys', 'create', 'proxy'], { env });
  const keyEnv = { ...env, TOOLWHARF_API_KEY: key.trim() };
  const clients = await Promise.all(eras.map(({ negotiation }) => connectHere(negotiation, [], keyEnv)));
  for (const { client } of clients) expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await first[Symbol.asyncDispose]();
  const received: string[] = [];
  const impostor = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(200, { 'x-toolwharf-proof': 'guessed' }).end('{}');
  });
  impostor.listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(impostor, 'listening');
  try {
    // These calls find another program; they reach the next gateway.
    const calls = clients.map(({ client }) =>
      client.callTool({ name: 'old__echo', arguments: { text: 'still here' } }),
    );
    await waitFor(() => received.length >= clients.length, { what: 'the challenges' });
    await using second = await start();
    expect(second.url).not.toBe(first.url);
    for (const call of calls) expect(textOf(await call)).toBe('still here');
    for (const request of received) expect(request).toMatch(/^HEAD \/healthz .*x-toolwharf-challenge/);
    expect(received.join()).not.toMatch(/authorization|still here/);
    expect(received.join()).not.toContain(key.trim());
    for (const connected of clients) await connected[Symbol.asyncDispose]();
  } finally {
    impostor.closeAllConnections();
    impostor.close();
  }
});

test('a modern client on stdio can call a tool that declares a header for an argument, also before it lists the tools', async () => {
  await writeFile(
    directory.file('tools.mjs'),
    `export default [{
      name: 'pick',
      description: 'Picks a region',
      parameters: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
      execute: ({ region }) => region,
    }];`,
  );
  const source = await cli.config({ gateway: { port: 0 }, localTools: directory.file('tools.mjs'), servers: {} });
  const env = { TOOLWHARF_DATA_DIR: directory.file('headers') };
  await using _gateway = await startGatewayHere(cli, env.TOOLWHARF_DATA_DIR, ['-c', source]);
  await using connected = await connectHere(eras[1].negotiation, [], env);
  const pick = () => connected.client.callTool({ name: 'pick', arguments: { region: 'Zürich' } });
  expect(textOf(await pick())).toBe('Zürich');
  const { tools } = await connected.client.listTools();
  expect(JSON.stringify(tools)).toContain('x-mcp-header');
  expect(textOf(await pick())).toBe('Zürich');
});
