import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ToolMode } from '../../packages/contract/settings/choices.ts';
import type { MyaiConfig } from '../../packages/toolwharf/config/config-source.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import type { LogEntry } from '../../packages/toolwharf/kernel/log.ts';
import { createMemoryPins } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { collectLog, fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

type MyaiTool = NonNullable<MyaiConfig['myai']['toolbox']['tools']>[number];

/** A myai file with one server. */
const myai = (url: string, mode: ToolMode, tools: readonly MyaiTool[], extra: object = {}) => ({
  myai: {
    toolbox: {
      max_concurrent: 10,
      tools,
      mcps: [{ name: 'customers', url, transport: 'streamable_http', mode, ...extra }],
    },
  },
});
const defaults = { default_tool_config: { max_instances: 10, timeout: 'P0DT0H0M30S' } };
const messages = (entries: readonly LogEntry[], level: string) =>
  entries.filter((entry) => entry.level === level).map((entry) => entry.message);

describe('strict mode', () => {
  test('strict mode stops the start at a tool that is not configured, with instructions [M4]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '2' });
    const starting = openToolbox(myai(server.url, 'strict', [{ name: 'tool_1' }]));
    await expect(starting).rejects.toMatchObject({
      code: 'TOOL_NOT_CONFIGURED',
      message: `Tool 'tool_2' from MCP server 'customers' is not configured in the toolbox.

MCP Server: customers
Mode: strict
Missing Tool: tool_2

Configured tools: [tool_1]

To resolve:
1. Add the tool to myai.toolbox.tools in your configuration, OR
2. Change the MCP server mode to 'dynamic' and provide default_tool_config`,
    });
  });

  test('strict mode names all missing tools at once [M4]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '3' });
    const starting = openToolbox(myai(server.url, 'strict', [{ name: 'tool_2' }]));
    await expect(starting).rejects.toThrow(/Missing Tools: tool_1, tool_3/);
  });

  test('strict mode starts if all tools are configured, and ignores a default configuration [M2, M5]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '1' });
    const { log, entries } = collectLog();
    const config = myai(server.url, 'strict', [{ name: 'tool_1', max_instances: 3 }], defaults);
    await using toolbox = await openToolbox(config, { log });
    expect(toolbox.catalog.find('tool_1')?.limits).toEqual({ maxInstances: 3, timeoutMs: 30_000 });
    expect(messages(entries, 'debug')).toContainEqual(
      expect.stringMatching(/^Tool 'tool_1' registered with explicit configuration: /),
    );
  });

  test('strict mode rejects a tool that the server offers later, with a warning [M6]', async () => {
    const { log, entries } = collectLog();
    const tools = ['echo', 'mutate', 'target', 'removable'].map((name) => ({ name }));
    await using toolbox = await openToolbox(
      { servers: { changing: { ...fixture('changing'), mode: 'strict' } }, toolbox: { tools, naming: 'plain' } },
      { log },
    );
    await toolbox.call('mutate', {});
    await expect.poll(() => messages(entries, 'warning').some((text) => /added_2/.test(text))).toBe(true);
    expect(toolbox.tool('added_2')).toBeUndefined();
    expect(await toolbox.call('added_2', {})).toMatchObject({ isError: true, failure: { code: 'TOOL_NAME_INVALID' } });
  });

  test('strict mode can be switched to dynamic by an environment variable, and the same file starts [M14, M17]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '2' });
    const config = myai(server.url, 'strict', [{ name: 'tool_1' }], defaults);
    await expect(openToolbox(config)).rejects.toThrow("Tool 'tool_2'");
    const env = { ...process.env, APP_MYAI__TOOLBOX__MCPS__0__MODE: 'dynamic' };
    await using toolbox = await openToolbox(config, { env });
    expect(toolbox.tools.map((tool) => tool.name)).toEqual(['tool_1', 'tool_2']);
  });
});

describe('dynamic mode', () => {
  test('dynamic mode registers configured tools with explicit limits over defaults, and other tools with defaults, each with a log line [M5, M7]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '2' });
    const { log, entries } = collectLog();
    const config = myai(server.url, 'dynamic', [{ name: 'tool_1', max_instances: 50 }], {
      default_tool_config: { max_instances: 10, timeout: 'PT1M' },
    });
    await using toolbox = await openToolbox(config, { log });
    expect(toolbox.catalog.find('tool_1')?.limits).toEqual({ maxInstances: 50, timeoutMs: 60_000 });
    expect(toolbox.catalog.find('tool_2')?.limits).toEqual({ maxInstances: 10, timeoutMs: 60_000 });
    expect(messages(entries, 'info')).toContain(
      "Tool 'tool_2' from MCP 'customers' not explicitly configured, using default configuration",
    );
    expect(messages(entries, 'debug')).toContainEqual(
      expect.stringMatching(/^Tool 'tool_1' configuration merged: explicit=.*, default=.*, final=.*/),
    );
  });

  test('dynamic mode uses the limits of the five configured tools among a hundred [M17]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '100', PAGE: '30' });
    const tools = ['001', '002', '003', '004', '005'].map((number) => ({ name: `tool_${number}`, max_instances: 1 }));
    await using toolbox = await openToolbox(myai(server.url, 'dynamic', tools, defaults));
    expect(toolbox.tools).toHaveLength(100);
    const limits = toolbox.tools.map((tool) => toolbox.catalog.find(tool.name)?.limits.maxInstances);
    expect(limits.filter((limit) => limit === 1)).toHaveLength(5);
    expect(limits.filter((limit) => limit === 10)).toHaveLength(95);
  });

  test('dynamic mode registers new tools with a log line, and unregisters removed tools with a warning [M6, M7]', async () => {
    const { log, entries } = collectLog();
    await using toolbox = await openToolbox({ servers: { changing: fixture('changing') } }, { log });
    expect(toolbox.tool('mcp_changing_removable')).toBeDefined();
    await toolbox.call('mcp_changing_mutate', {});
    await expect.poll(() => toolbox.tool('mcp_changing_added_2')).toBeDefined();
    expect(toolbox.tool('mcp_changing_removable')).toBeUndefined();
    expect(messages(entries, 'info')).toContain(
      "New tool 'added_2' discovered from MCP server 'changing', registering with default configuration",
    );
    expect(messages(entries, 'warning')).toContain(
      "Tool 'removable' was configured but is no longer available from MCP server 'changing'",
    );
  });

  test('dynamic mode warns about a configured tool that is not offered and does not register it [M6]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '1' });
    const { log, entries } = collectLog();
    await using toolbox = await openToolbox(myai(server.url, 'dynamic', [{ name: 'vanished' }], defaults), { log });
    expect(messages(entries, 'warning')).toContain(
      "Tool 'vanished' was configured but is no longer available from MCP server 'customers'",
    );
    expect(toolbox.tool('vanished')).toBeUndefined();
  });

  test('dynamic mode warns about a server without tools and continues to start [M8]', async () => {
    const { log, entries } = collectLog();
    const { command, args } = fixture('no-tools');
    await using toolbox = await openToolbox({ servers: { empty: { command, args } } }, { log });
    expect(toolbox.tools).toEqual([]);
    expect(messages(entries, 'warning')).toContain(
      `MCP server 'empty' at ${command} ${args.join(' ')} returned no tools`,
    );
  });

  test('dynamic mode registers tools by the allow and deny lists and the mode per tool [M15]', async () => {
    await using toolbox = await openToolbox({
      servers: {
        legacy: { ...fixture('legacy'), allow: ['e*', 'a*', 'pid'], deny: ['env'] },
        chosen: { ...fixture('legacy'), mode: 'strict', allow: ['echo', 'add'] },
      },
      toolbox: {
        tools: [
          { name: 'echo', server: 'chosen' },
          { name: 'add', server: 'chosen', mode: 'dynamic' },
        ],
      },
    });
    expect(toolbox.tools.map((tool) => tool.name).sort()).toEqual([
      'mcp_chosen_add',
      'mcp_chosen_echo',
      'mcp_legacy_add',
      'mcp_legacy_ask',
      'mcp_legacy_echo',
      'mcp_legacy_pid',
    ]);
    expect(await toolbox.call('mcp_legacy_env', { name: 'HOME' })).toMatchObject({ isError: true });
  });
});

describe('a server that cannot be used', () => {
  test('a server that cannot be used stops the start with its name, URL and reason if it is required [M9]', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const starting = openToolbox(myai(url, 'dynamic', [], defaults));
    await expect(starting).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await starting.catch((error: Error) => {
      const [first, second, third, last] = error.message.split('\n');
      expect(first).toBe(`Failed to connect to MCP server 'customers' at ${url}`);
      expect(second).toMatch(/^Error: .+/);
      expect(third).toBe('');
      expect(last).toBe('The application cannot start without connecting to all configured MCP servers.');
    });
  });

  test('a server that cannot be used is skipped with a warning if it is not required, and the others are available [A6]', async () => {
    const { log, entries } = collectLog();
    await using toolbox = await openToolbox(
      { mcpServers: { good: fixture('legacy'), bad: { command: 'no-such-command-here' } } },
      { log },
    );
    expect(toolbox.tool('mcp_good_echo')).toBeDefined();
    expect(toolbox.servers.get('bad')?.status).toMatchObject({
      state: 'error',
      reason: expect.stringContaining('not found'),
    });
    expect(messages(entries, 'warning')).toContainEqual(
      expect.stringMatching(/^MCP server 'bad' is not available and skipped: /),
    );
  });

  test('a server that cannot be used is reported with the allowed values if its transport is unknown [A9]', async () => {
    const starting = openToolbox({ mcp_servers: { odd: { transport: 'carrier-pigeon', command: 'x' } } });
    await expect(starting).rejects.toThrow(/odd[\s\S]*carrier-pigeon[\s\S]*stdio/);
  });
});

describe('a local tool', () => {
  const sum = localTool({
    name: 'sum_numbers',
    description: 'Adds two numbers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
    execute: ({ a, b }: { a: number; b: number }) => String(a + b),
  } as never);

  test('a local tool stops the start if the myai file does not name it [M3]', async () => {
    const starting = openToolbox({ myai: { toolbox: { max_concurrent: 1, tools: [], mcps: [] } } }, { tools: [sum] });
    await expect(starting).rejects.toMatchObject({
      code: 'TOOL_NOT_CONFIGURED',
      message: expect.stringContaining('sum_numbers'),
    });
  });

  test('a local tool has the limits of the myai file that names it [M3, A1]', async () => {
    const config = {
      myai: { toolbox: { max_concurrent: 1, tools: [{ name: 'sum_numbers', max_instances: 20 }], mcps: [] } },
    };
    await using toolbox = await openToolbox(config, { tools: [sum] });
    expect(toolbox.catalog.find('sum_numbers')?.limits).toEqual({ maxInstances: 20, timeoutMs: 30_000 });
    expect(await toolbox.tool('sum_numbers')?.execute({ a: 1, b: 2 })).toMatchObject({ isError: false, text: '3' });
  });

  test('a local tool is not reported as missing from an MCP server [M6]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '1' });
    const { log, entries } = collectLog();
    const config = myai(server.url, 'dynamic', [{ name: 'sum_numbers' }], defaults);
    await using toolbox = await openToolbox(config, { log, tools: [sum] });
    expect(toolbox.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['sum_numbers', 'tool_1']));
    expect(messages(entries, 'warning')).toEqual([]);
  });

  test('a local tool has no precedence in plain naming: the tool registered last gets the name, with a warning [M10]', async () => {
    await using server = await startHttp('legacy-http', { TOOLS: '1', NAME: 'second' });
    const { log, entries } = collectLog();
    const own = localTool({ name: 'tool_1', execute: () => 'local' });
    await using toolbox = await openToolbox(
      { servers: { one: fixture('legacy', { TOOLS: '1' }), two: { url: server.url } }, toolbox: { naming: 'plain' } },
      { log, tools: [own] },
    );
    expect(toolbox.tools.map((tool) => [tool.name, tool.server])).toEqual([['tool_1', 'two']]);
    expect(messages(entries, 'warning')).toContainEqual(expect.stringMatching(/^Tool name 'tool_1' is offered by/));
  });

  test('in the default naming, tools of servers with any names have different exposed names [B8, M10]', async () => {
    await using toolbox = await openToolbox({
      servers: {
        a: fixture('legacy', { TOOLS: '1' }),
        a_tool: fixture('legacy', { TOOLS: '1' }),
        'b.c d': fixture('legacy', { TOOLS: '1' }),
      },
    });
    const names = toolbox.tools.map((tool) => tool.name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    for (const tool of toolbox.tools) expect((await tool.execute({ text: 'x' })).isError).toBe(false);
  });
});

describe('a changed configuration file', () => {
  test('a changed configuration file is applied server by server, and a broken file changes nothing and is reported [M15]', async () => {
    await using dir = await tempDir();
    const file = dir.file('toolwharf.json');
    const write = (servers: object) => writeFile(file, JSON.stringify({ servers }));
    await write({ kept: fixture('legacy'), gone: fixture('legacy', { TOOLS: '1' }) });
    await using toolbox = await openToolbox(file, { watch: true });
    const pid = (await toolbox.call('mcp_kept_pid', {})).text;
    const refused: string[] = [];
    toolbox.on('config.refused', ({ error }) => refused.push(error.code));

    await write({ kept: fixture('legacy'), fresh: fixture('legacy', { TOOLS: '2' }) });
    await expect.poll(() => toolbox.tool('mcp_fresh_tool_2')).toBeDefined();
    expect(toolbox.servers.get('gone')).toBeUndefined();
    expect(toolbox.tool('mcp_gone_tool_1')).toBeUndefined();
    expect((await toolbox.call('mcp_kept_pid', {})).text).toBe(pid);

    await writeFile(file, '{"servers": {"kept": {"comand": "x"}}}');
    await expect.poll(() => refused).toEqual(['CONFIG_INVALID']);
    expect((await toolbox.call('mcp_kept_pid', {})).text).toBe(pid);
    expect(await readFile(file, 'utf8')).toContain('comand');
  });

  test('a changed configuration file registers the tools of a changed server once and logs the warnings of the new file', async () => {
    await using dir = await tempDir();
    const file = dir.file('toolwharf.json');
    const write = (description: string, profiles: object) =>
      writeFile(
        file,
        JSON.stringify({ servers: { one: { ...fixture('legacy', { TOOLS: '1' }), description } }, profiles }),
      );
    await write('before', {});
    const { log, entries } = collectLog();
    const pins = createMemoryPins();
    let lookups = 0;
    let acceptedReads = 0;
    const counted = {
      ...pins,
      readAll(serverAddress: string) {
        acceptedReads++;
        return pins.readAll(serverAddress);
      },
      readHashes(serverAddress: string) {
        lookups++;
        return pins.readHashes(serverAddress);
      },
    };
    await using toolbox = await openToolbox(file, { watch: true, log, pins: counted });
    const atStart = lookups;
    acceptedReads = 0;
    let applied = 0;
    toolbox.on('config.applied', () => applied++);

    await write('after', { team: { servers: ['gone'] } });
    await expect.poll(() => applied, { timeout: 60_000 }).toBe(1);
    expect(toolbox.servers.get('one')?.description).toBe('after');
    // While a slow server connects, its accepted tools are registered, each time with a lookup of their own.
    expect(lookups - atStart).toBe(atStart + acceptedReads);
    expect(messages(entries, 'warning')).toContainEqual(expect.stringContaining("Profile 'team' names server 'gone'"));
  });
});
