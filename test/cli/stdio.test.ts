import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import { cliProgram } from '../support/cli-program.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { cliIn, compileCache } from '../support/run-cli.ts';
import { stdioHere } from '../support/stdio-here.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const { start, run, config: configFile } = cli;

const config = await configFile({
  gateway: { listWait: '20s' },
  servers: { old: fixture('legacy'), recent: fixture('modern') },
  profiles: {
    small: { servers: ['old'], allow: ['old/echo', 'old/write'], naming: 'plain' },
    careful: { approval: { mode: 'always-ask' } },
    scripts: { expose: 'code', approval: { ask: ['mcp_old_write'] } },
  },
});

const eras = [
  { era: 'legacy', negotiation: {} },
  { era: 'modern', negotiation: { versionNegotiation: { mode: { pin: '2026-07-28' } } } },
] as const;

type Elicited = { readonly message: string };

/** The official client, which may be asked. */
function createClient(negotiation: object, elicit?: (params: Elicited) => object): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: elicit ? { elicitation: {} } : {}, ...negotiation },
  );
  if (elicit) {
    client.setRequestHandler('elicitation/create', async (request) => elicit(request.params as Elicited) as never);
  }
  return client;
}

/** The official client, connected to `toolwharf stdio --local` in this process. */
async function connectHere(negotiation: object, args: readonly string[], elicit?: (params: Elicited) => object) {
  const client = createClient(negotiation, elicit);
  await client.connect(stdioHere(cli, ['--local', '-c', config, ...args]));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

/** The official client, connected to a process of `toolwharf stdio --local`. */
async function connect(negotiation: object) {
  const client = createClient(negotiation);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cliProgram, 'stdio', '--local', '-c', config],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: directory.path,
      TOOLWHARF_DATA_DIR: directory.file('data'),
      ...compileCache,
    },
    stderr: 'ignore',
  });
  await client.connect(transport);
  return { client, pid: () => transport.pid ?? 0, [Symbol.asyncDispose]: () => client.close() };
}

const textOf = (result: object) => (result as { content: { text?: string }[] }).content[0]?.text;

describe.each(eras)('toolwharf stdio --local to a $era client', ({ era, negotiation }) => {
  test('toolwharf stdio lists and calls the tools of servers of both eras [A1]', async () => {
    await using connected = await connect(negotiation);
    const { client } = connected;
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['old__echo', 'recent__echo']));
    for (const name of ['old__echo', 'recent__echo']) {
      expect(textOf(await client.callTool({ name, arguments: { text: `to ${name}` } }))).toBe(`to ${name}`);
    }
    expect((await client.readResource({ uri: 'memo://one' })).contents).toHaveLength(1);
    expect((await client.getPrompt({ name: 'old__greet', arguments: { name: 'Ada' } })).messages).not.toHaveLength(0);
  });

  test('toolwharf stdio runs scripts, whose searches and approvals work', async () => {
    const asked: string[] = [];
    const accept = ({ message }: Elicited) => {
      asked.push(message);
      return { action: 'accept', content: { answer: 'once' } };
    };
    await using connected = await connectHere(negotiation, ['--profile', 'scripts'], accept);
    const file = directory.file(`script-${era}`);
    const code = `
      const found = await search('echo the text', { server: 'old' });
      [found[0].name, await tools.recent.echo({ text: 'hi' }), await tools.old.write({ path: '${file}', text: 'b' })]`;
    const result = await connected.client.callTool({ name: 'run_code', arguments: { code } });
    expect(result.isError ? textOf(result) : undefined).toBeUndefined();
    expect((result.structuredContent as { result: unknown[] }).result.slice(0, 2)).toEqual(['tools.old.echo', 'hi']);
    expect(asked).toEqual([expect.stringContaining('Allow write of server old to run?')]);
    expect(await readFile(file, 'utf8')).toBe('b\n');
  });

  test('toolwharf stdio serves the named profile and nothing beyond it', async () => {
    await using connected = await connectHere(negotiation, ['--profile', 'small']);
    const { client } = connected;
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo', 'write']);
    await expect(client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).rejects.toThrow(/Unknown tool/);
  });

  test("toolwharf stdio passes a server's question to the client in its era", async () => {
    const asked: string[] = [];
    await using connected = await connectHere(negotiation, [], ({ message }) => {
      asked.push(message);
      return { action: 'accept', content: { name: 'Ada' } };
    });
    for (const server of ['old', 'recent']) {
      const result = await connected.client.callTool({
        name: `${server}__ask`,
        arguments: { question: `of ${server}` },
      });
      expect(textOf(result)).toContain('Ada');
    }
    expect(asked).toEqual(['[old] of old', '[recent] of recent']);
  });

  test("toolwharf stdio asks the client's user where the profile requires approval [R16]", async () => {
    const answers = ['once', 'deny'];
    await using connected = await connectHere(negotiation, ['--profile', 'careful'], ({ message }) => {
      expect(message).toContain('Allow write of server old to run?');
      return { action: 'accept', content: { answer: answers.shift() } };
    });
    const file = directory.file(`asked-${era}`);
    const call = (text: string) => connected.client.callTool({ name: 'old__write', arguments: { path: file, text } });
    expect(await call('first')).not.toHaveProperty('isError', true);
    expect(await call('second')).toHaveProperty('isError', true);
    expect(await readFile(file, 'utf8')).toBe('first\n');
  });

  test('toolwharf stdio denies a call that needs approval when the client cannot ask', async () => {
    await using connected = await connectHere(negotiation, ['--profile', 'careful']);
    const result = await connected.client.callTool({ name: 'old__echo', arguments: { text: 'x' } });
    expect(result).toHaveProperty('isError', true);
    expect(textOf(result)).toContain('the client cannot ask its user');
  });

  test('toolwharf stdio ends with its client, and its servers end too [A2]', async () => {
    const connected = await connect(negotiation);
    await connected.client.listTools();
    const processes = [connected.pid(), ...descendantsOf(connected.pid())];
    expect(processes.length).toBeGreaterThan(2);
    await connected[Symbol.asyncDispose]();
    await waitFor(() => !processes.some(isAlive), { what: 'the end of all processes' });
  });
});

describe('toolwharf stdio --local', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  };
  const lines = (messages: readonly (object | string)[]) =>
    messages.map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`).join('');

  test('toolwharf stdio writes only messages to stdout, whatever it receives', async () => {
    const { child, ended } = start(['stdio', '--local', '-c', config, '--log-level', 'debug'], { input: null });
    const answers: { id?: unknown; error?: { code: number }; result?: object }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line)));
    child.stdin.write(
      lines([
        'this is no JSON',
        '[]',
        '{"jsonrpc":"1.0"}',
        { jsonrpc: '2.0', id: 'early', method: 'tools/list' },
        initialize,
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'nothing/here' },
        { jsonrpc: '2.0', id: 'unasked', result: {} },
        { jsonrpc: '2.0', id: 3, method: 'ping' },
      ]),
    );
    // The client waits for no answer before it ends its input.
    child.stdin.end();
    expect((await ended).code).toBe(0);
    const codeOf = (id: unknown) => answers.filter((answer) => answer.id === id).map((answer) => answer.error?.code);
    expect(codeOf(null)).toEqual([-32700, -32600, -32600]);
    expect([codeOf('early'), codeOf(2), codeOf(1), codeOf(3)]).toEqual([[-32600], [-32601], [undefined], [undefined]]);
    expect(answers.find(({ id }) => id === 1)?.result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'toolwharf' },
    });
  });

  test('a cancelled request gets no response, and the others get theirs', async () => {
    const { child, ended } = start(['stdio', '--local', '-c', config], { input: null });
    const answers: { id?: unknown; method?: string }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line)));
    const params = { name: 'old__sleep', arguments: { ms: 60_000 }, _meta: { progressToken: 'p' } };
    child.stdin.write(lines([initialize, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }]));
    await waitFor(() => answers.some(({ method }) => method === 'notifications/progress'), { what: 'progress' });
    child.stdin.write(
      lines([
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
        { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'old__echo', arguments: { text: 'x' } } },
      ]),
    );
    await waitFor(() => answers.some(({ id }) => id === 3), { what: 'the answer to the other request' });
    child.stdin.end();
    await ended;
    expect(answers.map(({ id }) => id)).not.toContain(2);
  });

  test('toolwharf stdio notifies a legacy client of a changed list', async () => {
    const changing = await configFile({ gateway: { listWait: '20s' }, servers: { old: fixture('legacy') } });
    const { child, ended } = start(['stdio', '--local', '-c', changing], { input: null });
    const said: { method?: string; id?: unknown }[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => said.push(JSON.parse(line)));
    child.stdin.write(lines([initialize, { jsonrpc: '2.0', method: 'notifications/initialized' }]));
    await waitFor(() => said.some(({ id }) => id === 1), { what: 'the start' });
    await writeFile(changing, JSON.stringify({ servers: {} }));
    await waitFor(() => said.some(({ method }) => method === 'notifications/tools/list_changed'), {
      what: 'the news of changed tools',
    });
    child.stdin.end();
    await ended;
  });

  test('a signal ends toolwharf stdio in order', async () => {
    const { child, pid, ended } = start(['stdio', '--local', '-c', config], { input: null });
    child.stdin.write(lines([initialize]));
    await once(child.stdout, 'data');
    const processes = await waitFor(() => {
      const found = descendantsOf(pid);
      return found.length >= 2 && found;
    });
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    await waitFor(() => !(processes || []).some(isAlive), { what: 'the end of its servers' });
  });

  test('a configuration that cannot be served ends toolwharf stdio at once, with empty stdout', async () => {
    const missing = await run(['stdio', '--local', '-c', config, '--profile', 'smal']);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain("There is no profile 'smal'; did you mean 'small'?");
    const away = await configFile({
      servers: { gone: { command: 'no-such-program-here', required: true, retryAttempts: 0 } },
    });
    expect(await run(['stdio', '--local', '-c', away])).toMatchObject({ code: 4, stdout: '' });
    const broken = await configFile('servers: [');
    expect(await run(['stdio', '--local', '-c', broken])).toMatchObject({ code: 3, stdout: '' });
  });
});
