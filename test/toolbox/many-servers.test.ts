import { appendFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type ToolboxEvents, ToolwharfError } from '../../packages/toolwharf/index.ts';
import { everything, filesystemServer, fixture, memoryServer, startHttp, tempDir } from '../support/fixtures.ts';
import { isAlive } from '../support/processes.ts';
import { openToolbox } from '../support/toolbox.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';

describe('a toolbox with many servers', () => {
  test('a toolbox with many servers starts ten servers concurrently [A10, M16]', async () => {
    await using directory = await tempDir();
    // Each server answers only when all ten are running: started sequentially, none would ever answer.
    const waiting = fixture('slow-start', { START_FILE: directory.file('started'), START_COUNT: '10' });
    const servers = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`s${index}`, { ...waiting, timeout: patienceMs }]),
    );
    await using toolbox = await openToolbox({ servers }, { startWaitMs: patienceMs });
    expect(toolbox.servers.list().every((server) => server.status.state === 'connected')).toBe(true);
    expect(new Set(toolbox.tools.map((tool) => tool.server)).size).toBe(10);
  });

  test('a toolbox with many servers offers the tools of working servers while the other half is down, hanging or broken [A6]', async () => {
    await using toolbox = await openToolbox(
      {
        servers: {
          good1: fixture('legacy'),
          good2: fixture('modern'),
          missing: { command: 'no-such-command-here' },
          crashing: fixture('crash-on-start'),
          hanging: { ...fixture('hang-on-start'), timeout: patienceMs },
          refused: { url: 'http://127.0.0.1:9/mcp' },
        },
      },
      { startWaitMs: 0 },
    );
    for (const name of ['good1', 'good2']) await waitFor(() => toolbox.tool(`mcp_${name}_echo`));
    expect((await toolbox.call('mcp_good1_echo', { text: 'x' })).text).toBe('x');
    expect((await toolbox.call('mcp_good2_echo', { text: 'x' })).text).toBe('x');
    const states = Object.fromEntries(toolbox.servers.list().map((server) => [server.name, server.status]));
    expect(states.hanging?.state).toBe('connecting');
    for (const name of ['missing', 'crashing', 'refused']) {
      expect(['error', 'connecting']).toContain(states[name]?.state);
      expect(toolbox.servers.get(name)?.offers.tools).toBeUndefined();
    }
  });

  test('a toolbox with many servers adds the tools of a server that becomes available after the start and emits an event', async () => {
    await using directory = await tempDir();
    const file = directory.file('started');
    await using toolbox = await openToolbox(
      { servers: { late: fixture('slow-start', { START_FILE: file, START_COUNT: '2' }) } },
      { startWaitMs: 50 },
    );
    expect(toolbox.tools).toEqual([]);
    const changes: ToolboxEvents['catalog.changed'][] = [];
    toolbox.on('catalog.changed', (event) => changes.push(event));
    await appendFile(file, 'now\n');
    await waitFor(() => toolbox.tool('mcp_late_echo'));
    expect(changes[0]?.added).toContain('mcp_late_echo');
  });

  test('a toolbox with many servers finds tools by name among a thousand tools of one server [A10]', async () => {
    await using toolbox = await openToolbox({ servers: { many: fixture('legacy', { TOOLS: '1000', PAGE: '100' }) } });
    expect(toolbox.tools).toHaveLength(1_000);
    expect((await toolbox.call('mcp_many_tool_0777', { text: 'x' })).isError).toBe(false);
  });
});

describe('the public MCP servers', () => {
  test('the public MCP servers work: everything over stdio, HTTP and SSE, filesystem and memory over stdio [A3, R2, R5]', async () => {
    await using dir = await tempDir();
    await using http = await everything('streamableHttp');
    await using sse = await everything('sse');
    await using toolbox = await openToolbox({
      servers: {
        stdio: everything('stdio'),
        http: { url: http.url },
        sse: { url: sse.url, transport: 'sse' },
        files: filesystemServer(dir.path),
        memory: memoryServer(dir.file('memory.json')),
      },
    });
    expect(toolbox.servers.list().map(({ name, status }) => [name, status.state, status.transport])).toEqual([
      ['stdio', 'connected', 'stdio'],
      ['http', 'connected', 'http'],
      ['sse', 'connected', 'sse'],
      ['files', 'connected', 'stdio'],
      ['memory', 'connected', 'stdio'],
    ]);
    for (const server of ['stdio', 'http', 'sse']) {
      expect((await toolbox.call(`mcp_${server}_echo`, { message: 'hello' })).text).toContain('hello');
    }
    const path = dir.file('note.txt');
    expect((await toolbox.call('mcp_files_write_file', { path, content: 'noted' })).isError).toBe(false);
    expect((await toolbox.call('mcp_files_read_text_file', { path })).text).toContain('noted');
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    expect((await toolbox.call('mcp_memory_create_entities', { entities })).isError).toBe(false);
    expect((await toolbox.call('mcp_memory_search_nodes', { query: 'Ada' })).text).toContain('first program');
    expect(toolbox.resources.list('stdio').length).toBeGreaterThan(0);
    expect(toolbox.prompts.list('stdio').length).toBeGreaterThan(0);
  });
});

test('the server of the official SDK is used in the modern era, including questions [A3, R2]', async () => {
  await using http = await startHttp('sdk', { HTTP: '1' });
  await using toolbox = await openToolbox(
    { servers: { stdio: fixture('sdk'), http: { url: http.url }, old: { ...fixture('sdk'), protocol: 'legacy' } } },
    { host: { elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }) } },
  );
  expect(toolbox.servers.list().map(({ status }) => status.era)).toEqual(['modern', 'modern', 'legacy']);
  for (const server of ['stdio', 'http', 'old']) {
    expect((await toolbox.call(`mcp_${server}_greet`, { name: 'Ada' })).text).toBe('Hello, Ada');
    expect((await toolbox.call(`mcp_${server}_ask`, {})).text).toContain('Ada');
    expect(await toolbox.resources.read(server, 'memo://one')).toMatchObject({ contents: [{ text: 'one' }] });
  }
});

describe('a running toolbox', () => {
  test('a running toolbox adds, updates, disconnects, connects, discovers and removes servers, with an event for each change [R5]', async () => {
    const seen: string[] = [];
    await using toolbox = await openToolbox({ servers: {} });
    toolbox.on('server.changed', ({ server, status }) => seen.push(`${server} ${status.state}`));
    const info = await toolbox.servers.add('s', fixture('legacy', { TOOLS: '2' }));
    expect(info).toMatchObject({
      name: 's',
      status: { state: 'connected' },
      offers: { tools: { count: 2, stale: false } },
    });
    expect(toolbox.tools).toHaveLength(2);
    await toolbox.servers.update('s', fixture('legacy', { TOOLS: '3' }));
    expect((await toolbox.servers.refreshTools('s')).map((tool) => tool.name)).toEqual([
      'mcp_s_tool_1',
      'mcp_s_tool_2',
      'mcp_s_tool_3',
    ]);
    await toolbox.servers.disconnect('s');
    expect(toolbox.tools).toEqual([]);
    await toolbox.servers.connect('s');
    expect(toolbox.tools).toHaveLength(3);
    await toolbox.servers.remove('s');
    expect(toolbox.servers.list()).toEqual([]);
    expect(seen.filter((entry) => entry === 's connected')).toHaveLength(3);
    expect(seen.at(-1)).toBe('s disconnected');
  });

  test('a running toolbox rejects invalid servers without a change [R5, R19]', async () => {
    await using toolbox = await openToolbox({ servers: { s: fixture('legacy') } });
    await expect(toolbox.servers.add('t', { command: 'x', url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    await expect(toolbox.servers.add('t', { url: 'http://example.com/mcp' })).rejects.toThrow(/https/);
    await expect(toolbox.servers.add('s', fixture('legacy'))).rejects.toThrow(/already/);
    await expect(toolbox.servers.remove('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(toolbox.servers.list().map((server) => server.name)).toEqual(['s']);
  });

  test('a running toolbox rejects plain http to another machine when connecting, unless the server allows it [R19]', async () => {
    const mcpServers = { far: { url: 'http://192.0.2.1/mcp' } };
    await using toolbox = await openToolbox({ mcpServers });
    expect(toolbox.servers.get('far')?.status).toMatchObject({
      state: 'error',
      reason: expect.stringMatching(/https/),
    });
  });

  test('a running toolbox rejects stdio servers at start and later if processes may not be spawned [R22]', async () => {
    await expect(openToolbox({ servers: { s: fixture('legacy') } }, { spawn: false })).rejects.toThrow(/'s'.*program/);
    await using server = await startHttp('legacy-http');
    await using toolbox = await openToolbox({ servers: { far: { url: server.url } } }, { spawn: false });
    await expect(toolbox.servers.add('near', fixture('legacy'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(toolbox.servers.update('far', fixture('legacy'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect((await toolbox.call('mcp_far_echo', { text: 'still there' })).text).toBe('still there');
  });

  test('a running toolbox limits the time of every request to a silent server: connecting, listing and calling [R20]', async () => {
    await using toolbox = await openToolbox({ servers: { s: { ...fixture('hang-on-start'), timeout: '1s' } } });
    expect(toolbox.servers.get('s')?.status).toMatchObject({
      reason: expect.stringContaining('No answer within 1000 ms'),
    });
    await using listing = await openToolbox({
      servers: { s: { ...fixture('list-fails', { HANG: '1' }), timeout: '5s' } },
    });
    // On a busy machine the process itself may need longer to start than the timeout, and is started again.
    const isLate = () => listing.servers.status('s')?.reason === 'its tools could not be listed: no answer in time';
    await waitFor(isLate, { what: 'the timeout of the list' });
    await using calling = await openToolbox({
      servers: { s: { ...fixture('legacy'), maxTimeout: '1s', defaultToolConfig: { timeout: '1s' } } },
    });
    const result = await calling.call('mcp_s_sleep', { ms: 600_000 });
    expect(result.failure?.code).toBe('CALL_TIMED_OUT');
  });
});

describe('a toolbox with resources and prompts', () => {
  test('a toolbox with resources and prompts lists, reads and completes them in both eras [R5]', async () => {
    await using http = await startHttp('modern-http');
    await using toolbox = await openToolbox({ servers: { legacy: fixture('legacy'), modern: { url: http.url } } });
    for (const server of ['legacy', 'modern']) {
      expect(toolbox.resources.list(server).map(({ item }) => item.uri)).toEqual(['memo://one', 'memo://two']);
      expect(toolbox.resources.listTemplates(server).map(({ item }) => item.uriTemplate)).toEqual(['memo://{name}']);
      expect(await toolbox.resources.read(server, 'memo://two')).toMatchObject({
        contents: [{ blob: expect.any(String) }],
      });
      expect(toolbox.prompts.list(server).map(({ item }) => item.name)).toEqual(['greet', 'plain']);
      const prompt = await toolbox.prompts.get(server, 'greet', { name: 'Ada', tone: 'warm' });
      expect(JSON.stringify(prompt.messages)).toContain('Ada');
      const completed = await toolbox.servers.complete(server, {
        ref: { type: 'ref/prompt', name: 'greet' },
        argument: { name: 'tone', value: '' },
      });
      expect(completed.completion).toMatchObject({ values: expect.any(Array) });
    }
    await toolbox.servers.setLogLevel('legacy', 'warning');
    await expect(toolbox.resources.read('nobody', 'memo://one')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(toolbox.resources.read('legacy', 'unknown://resource')).rejects.toBeInstanceOf(ToolwharfError);
    expect(toolbox.prompts.list().length).toBe(4);
  });
});

describe('closing a toolbox', () => {
  test('closing a toolbox ends every server and rejects later calls [A2]', async () => {
    const toolbox = await openToolbox({ servers: { a: fixture('legacy'), b: fixture('modern') } });
    const pids = toolbox.servers.list().map((server) => server.status.pid as number);
    expect(pids.every(isAlive)).toBe(true);
    await toolbox.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await toolbox.call('mcp_a_echo', { text: 'x' })).toMatchObject({ failure: { code: 'TOOLBOX_CLOSED' } });
    await expect(toolbox.servers.connect('a')).rejects.toMatchObject({ code: 'TOOLBOX_CLOSED' });
    await toolbox.close();
  });

  test('closing a toolbox after a failed start leaves no server running [A2]', async () => {
    const pids: number[] = [];
    const starting = openToolbox(
      {
        servers: {
          good: fixture('legacy'),
          bad: { command: 'no-such-command-here', required: true, retryAttempts: 0 },
        },
      },
      { log: { debug() {}, info() {}, warning() {}, error() {} } },
    );
    await expect(starting).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
