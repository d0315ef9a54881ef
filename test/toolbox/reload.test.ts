import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PinStore } from '../../packages/toolwharf/catalog/pins.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { createMemoryPins } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import type { AdministeredToolbox, InternalToolboxOptions, ToolboxEvents } from '../../packages/toolwharf/toolbox.ts';
import { collectLog, fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { commandOf, descendantsOf } from '../support/processes.ts';
import { openToolbox } from '../support/toolbox.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';

type Directory = Awaited<ReturnType<typeof tempDir>>;

/** A stdio server whose process can be found by a mark on its command line. */
function marked(name: string, mark: string, env: Record<string, string> = {}) {
  const program = fixture(name, env);
  return { ...program, args: [...program.args, mark] };
}

const processesOf = (mark: string) =>
  descendantsOf(process.pid)
    .filter((pid) => commandOf(pid).includes(mark))
    .sort();

const eventNames = [
  'server.changed',
  'catalog.changed',
  'content.changed',
  'tool.flagged',
  'profiles.changed',
  'config.applied',
  'config.refused',
] as const satisfies readonly (keyof ToolboxEvents)[];

/** A toolbox that watches its file, with everything about it that can be observed. */
async function openReloading(directory: Directory, before: object, options: InternalToolboxOptions = {}) {
  const file = directory.file(`${randomUUID()}.json`);
  await writeFile(file, JSON.stringify(before));
  const asked: string[] = [];
  const events: string[] = [];
  const errors: Error[] = [];
  const gates: (() => void)[] = [];
  const wait = localTool({
    name: 'wait',
    execute: () => new Promise<string>((resolve) => gates.push(() => resolve('done'))),
  });
  const { log, entries } = collectLog();
  const toolbox = (await openToolbox(file, {
    watch: true,
    log,
    tools: [wait],
    host: {
      approve: async ({ tool }) => {
        asked.push(tool);
        return { kind: 'deny' };
      },
    },
    ...options,
  })) as AdministeredToolbox;
  for (const name of eventNames)
    toolbox.on(name, (event) => {
      events.push('server' in event && event.server ? `${name} ${event.server}` : name);
      if ('error' in event) errors.push(event.error);
    });

  async function decide(name: string): Promise<string> {
    asked.length = 0;
    const { isError, text } = await toolbox.call(name, { text: 'x', a: 1, b: 2, name: 'PATH' });
    return `${name}: ${asked.length > 0 ? 'asked' : isError ? text : 'ran'}`;
  }

  /** How many of three calls run at once. */
  async function limitInForce(): Promise<object> {
    const calls = [1, 2, 3].map(() => toolbox.call('wait', {}));
    const stats = () => toolbox.calls.stats();
    await waitFor(() => gates.length === stats().running && stats().running + stats().queued === 3);
    const { running, queued } = stats();
    for (const _ of calls) {
      await waitFor(() => gates.length > 0);
      gates.shift()?.();
    }
    await Promise.all(calls);
    return { running, queued };
  }

  return {
    toolbox,
    entries,
    events,
    errors,
    write: (next: object | string) => writeFile(file, typeof next === 'string' ? next : JSON.stringify(next)),
    /** Writes the file, and resolves when it was applied or refused. */
    async reload(next: object | string): Promise<'config.applied' | 'config.refused'> {
      const { promise, resolve } = Promise.withResolvers<'config.applied' | 'config.refused'>();
      const ends = (['config.applied', 'config.refused'] as const).map((name) => toolbox.on(name, () => resolve(name)));
      await this.write(next);
      const outcome = await promise;
      for (const end of ends) end();
      return outcome;
    },
    async observe(names: readonly string[]) {
      const limits = await limitInForce();
      const decisions: string[] = [];
      for (const name of names) decisions.push(await decide(name));
      return {
        config: toolbox.config,
        loaded: toolbox.loaded,
        limits,
        decisions,
        tools: toolbox.catalog.entries.map(({ name, server, limits: of, serverTrusted, scope }) => ({
          ...{ name, server, of, serverTrusted, scope },
        })),
        servers: toolbox.servers.list(),
        plugins: toolbox.plugins(),
        skills: toolbox.skills.list(),
        pins: await toolbox.approvals.pins(),
      };
    },
    [Symbol.asyncDispose]: () => toolbox.close(),
  };
}

describe('a changed configuration that is refused changes nothing [O1]', () => {
  let directory: Directory;
  beforeAll(async () => {
    directory = await tempDir();
    await mkdir(directory.file('skills/git'), { recursive: true });
    await writeFile(directory.file('skills/git/SKILL.md'), '---\nname: git\ndescription: Uses git\n---\nText\n');
    await writeFile(directory.file('tools.mjs'), "export const extra = { name: 'extra', execute: () => 'x' };");
    await writeFile(directory.file('broken.mjs'), "throw new Error('no database');");
    await writeFile(directory.file('plugin.mjs'), "export default { name: 'judge', policy: () => undefined };");
    await writeFile(
      directory.file('old.mjs'),
      "export default { name: 'old', tools: [{ name: 'word', execute: () => 'old' }] };",
    );
  });
  afterAll(() => directory[Symbol.asyncDispose]());

  const names = ['mcp_kept_echo', 'mcp_kept_add', 'mcp_kept_pid', 'mcp_changed_echo', 'mcp_gone_echo', 'word'];
  const initial = (mark: string) => ({
    servers: {
      kept: marked('legacy', mark),
      changed: { ...marked('legacy', mark), required: true },
      gone: marked('legacy', mark),
    },
    toolbox: {
      maxConcurrent: 1,
      approval: { mode: 'auto', deny: ['kept/add'], ask: ['kept/pid'] },
      tools: [{ name: 'echo', maxInstances: 3 }],
    },
    plugins: [directory.file('old.mjs')],
    profiles: { team: { servers: ['kept'] } },
  });
  /** Changes everything that a file can change. */
  const everythingChanged = (mark: string) => ({
    servers: {
      kept: marked('legacy', mark),
      changed: { ...marked('legacy', mark, { WORD: 'new' }), required: true },
      fresh: { ...marked('legacy', mark), required: true },
      optional: marked('legacy', mark),
    },
    toolbox: {
      maxConcurrent: 3,
      naming: 'server__tool',
      approval: { mode: 'auto', deny: ['kept/pid'], ask: ['kept/echo'] },
      tools: [{ name: 'echo', maxInstances: 7 }],
    },
    plugins: [directory.file('plugin.mjs')],
    localTools: [directory.file('tools.mjs')],
    skills: [directory.file('skills')],
    profiles: { team: { servers: ['kept', 'fresh'] }, other: { servers: ['fresh'] } },
    gateway: { limits: { maxPendingApprovals: 7 } },
  });
  type Next = ReturnType<typeof everythingChanged>;

  const failingPins = (): PinStore & { fails: boolean } => {
    const pins = createMemoryPins();
    const store = {
      ...pins,
      fails: false,
      setAll: (records: Parameters<PinStore['setAll']>[0]) =>
        store.fails ? Promise.reject(new Error('the disk is full')) : pins.setAll(records),
    };
    return store;
  };

  interface Row {
    readonly step: string;
    readonly next: (next: Next, mark: string) => object | string;
    readonly message: RegExp;
    readonly options?: () => InternalToolboxOptions & { readonly pins?: PinStore & { fails: boolean } };
    readonly prepare?: (toolbox: AdministeredToolbox) => void;
  }
  const withServer = (next: Next, server: object) => ({ ...next, servers: { ...next.servers, broken: server } });
  const rows: readonly Row[] = [
    { step: 'the file is no JSON', next: (next) => `${JSON.stringify(next)}}`, message: /JSON/ },
    { step: 'a key is unknown', next: (next) => ({ ...next, tolbox: {} }), message: /tolbox/ },
    {
      step: 'a limit is out of range',
      next: (next) => ({ ...next, toolbox: { ...next.toolbox, maxConcurrent: 0 } }),
      message: /maxConcurrent/,
    },
    {
      step: 'a plugin is missing',
      next: (next) => ({ ...next, plugins: [...next.plugins, './missing.mjs'] }),
      message: /missing\.mjs/,
    },
    {
      step: 'a plugin fails',
      next: (next) => ({ ...next, plugins: [...next.plugins, directory.file('broken.mjs')] }),
      message: /no database/,
    },
    {
      step: 'a module of local tools is missing',
      next: (next) => ({ ...next, localTools: ['./missing.mjs'] }),
      message: /Local tools cannot be loaded/,
    },
    {
      step: 'a local tool exists twice',
      next: (next) => ({ ...next, localTools: [...next.localTools, ...next.localTools] }),
      message: /registered twice/,
    },
    {
      step: 'a folder of skills is missing',
      next: (next) => ({ ...next, skills: [directory.file('nowhere')] }),
      message: /nowhere/,
    },
    {
      step: 'a required program cannot be started',
      next: (next) => withServer(next, { command: '/no/such/program', required: true, retryAttempts: 0 }),
      message:
        /^Failed to connect to MCP server 'broken' at .*\nError: [\s\S]*\n\nThe application cannot start without connecting to all configured MCP servers\.$/,
    },
    {
      step: 'a required program ends at once',
      next: (next, mark) => withServer(next, { ...marked('crash-on-start', mark), required: true, retryAttempts: 1 }),
      message: /^Failed to connect to MCP server 'broken'/,
    },
    {
      step: 'a required URL is down',
      next: (next) => withServer(next, { url: 'http://127.0.0.1:9/mcp', required: true, retryAttempts: 0 }),
      message: /^Failed to connect to MCP server 'broken' at http:\/\/127\.0\.0\.1:9\/mcp\nError: /,
    },
    {
      step: 'a required server that runs is changed so that it cannot run',
      next: (next, mark) => ({
        ...next,
        servers: {
          ...next.servers,
          changed: { ...marked('crash-on-start', mark), required: true, retryAttempts: 0 },
        },
      }),
      message: /^Failed to connect to MCP server 'changed'/,
    },
    {
      step: 'two required servers are down',
      next: (next) => ({
        ...next,
        servers: {
          ...next.servers,
          one: { command: '/no/such/program', required: true, retryAttempts: 0 },
          two: { url: 'http://127.0.0.1:9/mcp', required: true, retryAttempts: 0 },
        },
      }),
      message: /'one'[\s\S]*'two'/,
    },
    {
      step: 'a new strict server has tools that are not configured',
      next: (next, mark) => withServer(next, { ...marked('legacy', mark, { TOOLS: '1' }), mode: 'strict' }),
      message: /Tool 'tool_1' from MCP server 'broken' is not configured in the toolbox\.[\s\S]*Mode: strict/,
    },
    {
      step: 'a running server becomes strict and has tools that are not configured',
      next: (next) => ({ ...next, servers: { ...next.servers, kept: { ...next.servers.kept, mode: 'strict' } } }),
      message: /from MCP server 'kept' are not configured in the toolbox/,
    },
    {
      step: 'the pins cannot be stored',
      next: (next) => next,
      message: /the disk is full/,
      options: () => ({ pins: failingPins() }),
    },
    {
      step: 'a stored profile cannot be built',
      next: (next) => next,
      message: /no such profile/,
      prepare: (toolbox) =>
        toolbox.setProfiles((config) => {
          if (config.servers.some(({ name }) => name === 'fresh')) throw new Error('no such profile');
          return [];
        }),
    },
    {
      step: 'the changing tools of a plugin cannot be listed',
      next: (next) => next,
      message: /no such script/,
      options() {
        let lists = 0;
        const tools = {
          list() {
            if (++lists === 2) throw new Error('no such script');
            return [];
          },
          subscribe: () => {},
        };
        return { featurePlugins: [{ feature: 'scripts', plugin: { name: 'scripts', tools } }] };
      },
    },
    {
      step: 'the gateway cannot use it',
      next: (next) => next,
      message: /not safe/,
      options: () => ({
        assertUsable: () => Promise.reject(new Error('not safe')),
      }),
    },
  ];

  test.each(rows)('when $step', { timeout: patienceMs }, async ({ next, message, options, prepare }) => {
    const mark = `mark-${randomUUID()}`;
    const { pins, ...others } = options?.() ?? {};
    await using running = await openReloading(directory, initial(mark), { ...others, pins });
    const { toolbox, events, errors } = running;
    prepare?.(toolbox);
    const observed = await running.observe(names);
    expect(observed.decisions).toEqual([
      'mcp_kept_echo: ran',
      expect.stringMatching(/^mcp_kept_add: .*denied/i),
      'mcp_kept_pid: asked',
      'mcp_changed_echo: ran',
      'mcp_gone_echo: ran',
      'word: ran',
    ]);
    expect(observed.limits).toEqual({ running: 1, queued: 2 });
    // A server that was slow to answer has had a second process, which ends.
    await waitFor(() => processesOf(mark).length === 3, { what: 'the processes of three servers' });
    const processes = processesOf(mark);
    const inFlight = toolbox.start('mcp_gone_sleep', { ms: 300 });
    if (pins) pins.fails = true;
    events.length = 0;

    expect(await running.reload(next(everythingChanged(mark), mark))).toBe('config.refused');

    expect(events).toEqual(['config.refused']);
    expect(errors[0]?.message).toMatch(message);
    expect((await inFlight.result).isError).toBe(false);
    expect(processesOf(mark)).toEqual(processes);
    expect(await running.observe(names)).toEqual(observed);
    expect(toolbox.tool('fresh__echo')).toBeUndefined();
    expect(toolbox.tool('extra')).toBeUndefined();

    // The corrected file is applied as a whole.
    if (pins) pins.fails = false;
    if (prepare || others.assertUsable) return;
    // The same file is not read again.
    expect(await running.reload(`${JSON.stringify(everythingChanged(mark))}\n`)).toBe('config.applied');
    expect((await running.observe([])).limits).toEqual({ running: 3, queued: 0 });
    expect(toolbox.tool('fresh__echo')).toBeDefined();
    expect(toolbox.plugins().map(({ name }) => name)).toEqual(['judge']);
    expect(toolbox.skills.list()).toHaveLength(1);
    expect(toolbox.servers.list().map(({ name, status }) => `${name} ${status.state}`)).toEqual([
      'kept connected',
      'changed connected',
      'fresh connected',
      'optional connected',
    ]);
    await waitFor(() => processesOf(mark).length === 4);
  });
});

describe('reloads follow each other [O1]', () => {
  const hang = (directory: Directory) => ({
    ...fixture('late', { START_MS: '600000', RECORD_FILE: directory.file('record.txt') }),
    required: true,
    retryAttempts: 0,
    timeout: '120s',
  });

  test('a newer version of the file ends a reload that waits for a required server, and is applied', async () => {
    await using directory = await tempDir();
    const mark = `mark-${randomUUID()}`;
    const waiting = hang(directory);
    await using running = await openReloading(directory, { servers: { kept: fixture('legacy') } });
    const { toolbox, events } = running;
    await running.write({
      servers: { kept: fixture('legacy'), slow: { ...waiting, args: [...waiting.args, mark] } },
      toolbox: { approval: { deny: ['kept/*'] } },
    });
    await waitFor(() => processesOf(mark).length === 1, { what: 'the server of the waiting reload' });
    expect((await toolbox.call('mcp_kept_echo', { text: 'x' })).isError).toBe(false);
    expect(toolbox.servers.get('slow')).toBeUndefined();
    expect(await running.reload({ servers: { kept: fixture('legacy') }, toolbox: { maxConcurrent: 7 } })).toBe(
      'config.applied',
    );
    expect(toolbox.config.toolbox).toMatchObject({ maxConcurrent: 7, approval: { deny: [] } });
    expect(events).not.toContain('config.refused');
    expect(running.entries.map(({ event }) => event)).toContain('config.superseded');
    await waitFor(() => processesOf(mark).length === 0, { what: 'the end of the server of the first reload' });
  });

  test('a newer version of the file is applied while an added server is still starting', async () => {
    await using directory = await tempDir();
    const slow = { ...hang(directory), required: false };
    const servers = { kept: fixture('legacy'), slow };
    await using running = await openReloading(directory, { servers: { kept: fixture('legacy') } });
    const { toolbox } = running;
    await running.write({ servers });
    await waitFor(() => toolbox.servers.get('slow')?.status.state === 'connecting', {
      what: 'the start of the server',
    });
    await running.write({ servers, toolbox: { approval: { deny: ['kept/*'] } } });
    await waitFor(async () => (await toolbox.call('mcp_kept_echo', { text: 'x' })).isError, {
      what: 'the rule of the newer version',
    });
    expect(toolbox.servers.get('slow')?.status.state).toBe('connecting');
    expect(running.events).not.toContain('config.refused');
  });

  test('closing the toolbox ends the servers of a reload that waits', async () => {
    await using directory = await tempDir();
    const mark = `mark-${randomUUID()}`;
    const waiting = hang(directory);
    const running = await openReloading(directory, { servers: {} });
    await running.write({ servers: { slow: { ...waiting, args: [...waiting.args, mark] } } });
    await waitFor(() => processesOf(mark).length === 1, { what: 'the server of the waiting reload' });
    await running.toolbox.close();
    expect(processesOf(mark)).toEqual([]);
  });

  test('a changed required server serves on its old connection until the new one is ready', async () => {
    await using directory = await tempDir();
    const server = (env: Record<string, string>) => ({ ...fixture('late', { START_MS: '0', ...env }), required: true });
    await using running = await openReloading(directory, { servers: { a: server({ WORD: 'old' }) } });
    const { toolbox, events } = running;
    const word = async () => (await toolbox.call('mcp_a_env', { name: 'WORD' })).text;
    const words: string[] = [];
    const reloading = running.reload({ servers: { a: server({ WORD: 'new', START_MS: '300' }) } });
    let isDone = false;
    void reloading.then(() => {
      isDone = true;
    });
    while (!isDone) words.push(await word());
    expect(await reloading).toBe('config.applied');
    expect(new Set(words)).toEqual(new Set(words.includes('new') ? ['old', 'new'] : ['old']));
    expect(await word()).toBe('new');
    expect(events.filter((event) => event.startsWith('server.changed'))).toEqual(['server.changed a']);
  });

  test('a server that runs beside its replacement finishes its calls, and then ends', async () => {
    await using directory = await tempDir();
    await using http = await startHttp('legacy-http');
    const mark = `mark-${randomUUID()}`;
    const servers = (word: string) => ({
      program: { ...marked('legacy', mark, { WORD: word }), required: true },
      http: { url: http.url, description: word },
    });
    await using running = await openReloading(directory, { servers: servers('old') });
    const { toolbox } = running;
    const [old] = processesOf(mark);
    const calls = ['program', 'http'].map((server) => toolbox.start(`mcp_${server}_sleep`, { ms: 3_000 }));
    await waitFor(() => calls.every(({ state }) => state === 'running'));
    expect(await running.reload({ servers: servers('new') })).toBe('config.applied');
    expect((await toolbox.call('mcp_program_env', { name: 'WORD' })).text).toBe('new');
    for (const { result } of calls) expect((await result).text).toBe('slept 3000 ms');
    await waitFor(() => !processesOf(mark).includes(old as number), { what: 'the end of the old process' });
    expect(processesOf(mark)).toHaveLength(1);
  });

  test('a removed server whose tool stays configured is logged as a warning [M6]', async () => {
    await using directory = await tempDir();
    const toolbox = { tools: [{ name: 'echo', maxInstances: 3 }] };
    await using running = await openReloading(directory, { servers: { crm: fixture('legacy') }, toolbox });
    expect(await running.reload({ servers: {}, toolbox })).toBe('config.applied');
    expect(running.entries.filter(({ level }) => level === 'warning').map(({ message }) => message)).toEqual([
      "Tool 'echo' was configured but is no longer available from MCP server 'crm'",
    ]);
  });

  test('a required server that is added while running joins the toolbox only if it can be reached', async () => {
    await using directory = await tempDir();
    await using running = await openReloading(directory, { servers: { a: fixture('legacy') } });
    const { toolbox } = running;
    const broken = { command: '/no/such/program', required: true, retryAttempts: 0 };
    await expect(toolbox.servers.add('b', broken)).rejects.toThrow("Failed to connect to MCP server 'b'");
    await expect(toolbox.servers.update('a', broken)).rejects.toThrow("Failed to connect to MCP server 'a'");
    expect(toolbox.servers.list().map(({ name, status }) => `${name} ${status.state}`)).toEqual(['a connected']);
    expect((await toolbox.call('mcp_a_echo', { text: 'x' })).text).toBe('x');
    await toolbox.servers.update('a', { ...fixture('legacy', { TOOLS: '1' }), required: true });
    expect(toolbox.tool('mcp_a_tool_1')).toBeDefined();
  });
});
