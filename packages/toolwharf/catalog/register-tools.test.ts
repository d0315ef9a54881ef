import { describe, expect, test } from 'vitest';
import type { ServerSpec, ToolConfig } from '../../contract/settings/config.ts';
import { serverDefaults } from '../../contract/settings/defaults.ts';
import type { ToolDefinition } from '../kernel/tool.ts';
import { findGone, type Registration, registerTools as register, strictViolation } from './register-tools.ts';

const customers: ServerSpec = {
  ...serverDefaults,
  name: 'customers',
  required: true,
  target: {
    transport: 'http',
    url: 'http://localhost:8180/mcp/http/mcp',
    headers: {},
    authentication: { type: 'none' },
    allowInsecure: false,
  },
  defaultTool: { maxInstances: 10, timeoutMs: 30_000 },
};
const strict: ServerSpec = { ...customers, name: 'internal-tools', mode: 'strict' };
const defaultTool = { maxInstances: 2, timeoutMs: 60_000 };
const registerTools = (
  server: ServerSpec,
  offered: readonly ToolDefinition[],
  configs: readonly ToolConfig[],
  previous?: { readonly seen: ReadonlySet<string> },
) => register(server, offered, { configs, defaultTool }, previous);
const offer = (...names: string[]): ToolDefinition[] =>
  names.map((name) => ({ name, inputSchema: { type: 'object' } }));
const lines = (registration: Registration) =>
  registration.logs.map(({ level, message }) => `${level.toUpperCase()}: ${message}`);
const namesOf = (registration: Registration) => registration.registered.map(({ definition }) => definition.name);

describe('dynamic mode', () => {
  test('dynamic mode registers a tool that is not configured with the default limits and an INFO line [M5, M7]', async () => {
    const registration = await registerTools(customers, offer('list_orders'), []);
    expect(registration.registered).toEqual([
      { definition: offer('list_orders')[0], limits: { maxInstances: 10, timeoutMs: 30_000 }, source: 'default' },
    ]);
    expect(registration.missing).toEqual([]);
    expect(lines(registration)).toEqual([
      "INFO: Tool 'list_orders' from MCP 'customers' not explicitly configured, using default configuration",
    ]);
  });

  test('dynamic mode merges explicit values over the default field by field and logs the result at DEBUG [M5, M7]', async () => {
    const configs = [{ name: 'get_customer', maxInstances: 20 }];
    const registration = await registerTools(customers, offer('get_customer'), configs);
    expect(registration.registered[0]).toMatchObject({
      limits: { maxInstances: 20, timeoutMs: 30_000 },
      source: 'explicit',
    });
    expect(lines(registration)).toEqual([
      'DEBUG: Tool \'get_customer\' registered with explicit configuration: {"maxInstances":20,"timeoutMs":30000}',
      'DEBUG: Tool \'get_customer\' configuration merged: explicit={"maxInstances":20}, default={"maxInstances":10,"timeoutMs":30000}, final={"maxInstances":20,"timeoutMs":30000}',
    ]);
    const all = await registerTools(customers, offer('get_customer'), [
      { name: 'get_customer', maxInstances: 1, timeoutMs: 2 },
    ]);
    expect(all.registered[0]?.limits).toEqual({ maxInstances: 1, timeoutMs: 2 });
  });

  test('dynamic mode registers a hundred tools of which five are configured [M17]', async () => {
    const names = Array.from({ length: 100 }, (_, at) => `tool_${at}`);
    const configs = names.slice(0, 5).map((name) => ({ name, maxInstances: 1 }));
    const { registered } = await registerTools(customers, offer(...names), configs);
    expect(registered.filter(({ source }) => source === 'explicit')).toHaveLength(5);
    expect(registered.filter(({ limits }) => limits.maxInstances === 10)).toHaveLength(95);
  });

  test('dynamic mode registers the tools that strict mode rejected, after a server is switched to it [M17]', async () => {
    expect((await registerTools(strict, offer('a', 'b'), [{ name: 'a' }])).missing).toEqual(['b']);
    const switched = await registerTools({ ...strict, mode: 'dynamic' }, offer('a', 'b'), [{ name: 'a' }]);
    expect(switched.missing).toEqual([]);
    expect(namesOf(switched)).toEqual(['a', 'b']);
  });
});

describe('strict mode', () => {
  test('strict mode rejects every tool that is not configured [M4]', async () => {
    const registration = await registerTools(strict, offer('a', 'b', 'c'), [{ name: 'b', maxInstances: 3 }]);
    expect(registration.missing).toEqual(['a', 'c']);
    expect(registration.registered).toMatchObject([{ definition: { name: 'b' }, source: 'explicit' }]);
    expect(lines(registration)).toEqual([
      'DEBUG: Tool \'b\' registered with explicit configuration: {"maxInstances":3,"timeoutMs":30000}',
    ]);
  });

  test('strict mode reports one missing tool with the specified message [M4]', async () => {
    const error = strictViolation(strict, ['delete_customer'], ['get_customer', 'sum_numbers']);
    expect(error.code).toBe('TOOL_NOT_CONFIGURED');
    expect(
      error.message,
    ).toBe(`Tool 'delete_customer' from MCP server 'internal-tools' is not configured in the toolbox.

MCP Server: internal-tools
Mode: strict
Missing Tool: delete_customer

Configured tools: [get_customer, sum_numbers]

To resolve:
1. Add the tool to myai.toolbox.tools in your configuration, OR
2. Change the MCP server mode to 'dynamic' and provide default_tool_config`);
  });

  test('strict mode reports every missing tool in one error [M4]', async () => {
    const { message, data } = strictViolation(strict, ['a', 'b'], []);
    expect(message).toContain("Tools 'a', 'b' from MCP server 'internal-tools' are not configured in the toolbox.\n");
    expect(message).toContain('\nMissing Tools: a, b\n\nConfigured tools: []\n');
    expect(data).toEqual({ server: 'internal-tools', missing: ['a', 'b'], configured: [] });
  });
});

describe('allow, deny and per-tool mode', () => {
  test('only allowed tools are registered, denied tools never are, and strict mode does not miss them [M15]', async () => {
    const open = { ...customers, allow: ['get_*', 'delete_*'], deny: ['delete_*'] };
    expect(namesOf(await registerTools(open, offer('get_a', 'delete_a', 'list_a'), []))).toEqual(['get_a']);
    const shut = await registerTools({ ...strict, deny: ['*'] }, offer('a'), []);
    expect([shut.missing, shut.registered]).toEqual([[], []]);
    expect((await registerTools({ ...customers, allow: [] }, offer('a'), [])).registered).toEqual([]);
  });

  test('a tool that is strict on a dynamic server does not inherit the default limits of the server [M15]', async () => {
    const registration = await registerTools(customers, offer('dangerous_tool'), [
      { name: 'dangerous_tool', timeoutMs: 5, mode: 'strict' },
    ]);
    expect(registration.registered).toMatchObject([{ limits: { maxInstances: 2, timeoutMs: 5 }, source: 'explicit' }]);
    const open = await registerTools(customers, offer('x'), [{ name: 'x', mode: 'strict' }]);
    expect(open.registered[0]?.limits).toEqual({ maxInstances: 2, timeoutMs: customers.timeoutMs });
    expect(lines(registration).filter((line) => line.includes('merged'))).toEqual([]);
  });

  test('a tool that is dynamic on a strict server inherits the default limits that it does not set [M15]', async () => {
    const registration = await registerTools(strict, offer('search'), [
      { name: 'search', maxInstances: 1, mode: 'dynamic' },
    ]);
    expect(registration.missing).toEqual([]);
    expect(registration.registered[0]?.limits).toEqual({ maxInstances: 1, timeoutMs: strict.defaultTool.timeoutMs });
    expect(lines(registration).filter((line) => line.includes('merged'))).toHaveLength(1);
  });

  test('a configuration for one server overrides one for all servers and does not affect other servers', async () => {
    const configs: ToolConfig[] = [
      { name: 'get', server: 'customers', maxInstances: 2 },
      { name: 'get', maxInstances: 7, timeoutMs: 1000 },
      { name: 'get', server: 'other', maxInstances: 99 },
    ];
    expect((await registerTools(customers, offer('get'), configs)).registered[0]?.limits).toEqual({
      maxInstances: 2,
      timeoutMs: 1000,
    });
    expect((await registerTools(strict, offer('x'), [{ name: 'x', server: 'other' }])).missing).toEqual(['x']);
  });
});

describe('later', () => {
  test('after the start, the catalog registers and announces a new tool in dynamic mode [M6, M7]', async () => {
    const first = await registerTools(customers, offer('a'), []);
    const second = await registerTools(customers, offer('a', 'b'), [], first);
    expect(namesOf(second)).toEqual(['a', 'b']);
    expect(lines(second)).toEqual([
      "INFO: New tool 'b' discovered from MCP server 'customers', registering with default configuration",
    ]);
  });

  test('after the start, the catalog rejects a new tool with one warning in strict mode [M6]', async () => {
    const configs = [{ name: 'a' }];
    const first = await registerTools(strict, offer('a'), configs);
    const second = await registerTools(strict, offer('a', 'b'), configs, first);
    expect(second.missing).toEqual(['b']);
    expect(namesOf(second)).toEqual(['a']);
    expect(lines(second)).toEqual([
      "WARNING: New tool 'b' discovered from MCP server 'internal-tools' is not configured in the toolbox, not registering it (mode is strict)",
    ]);
    expect((await registerTools(strict, offer('a', 'b'), configs, second)).logs).toEqual([]);
  });

  test('after the start, the catalog unregisters a tool that disappears and warns about it once [M6, M7]', async () => {
    const first = await registerTools(customers, offer('a', 'b'), []);
    const second = await registerTools(customers, offer('a'), [], first);
    expect(second.gone).toEqual(['b']);
    expect(lines(second)).toEqual([
      "WARNING: Tool 'b' was configured but is no longer available from MCP server 'customers'",
    ]);
    expect((await registerTools(customers, offer('a'), [], second)).logs).toEqual([]);
  });

  test('after the start, the catalog does not report a tool that was never registered as removed', async () => {
    const refused = await registerTools(strict, offer('a', 'b'), [{ name: 'a' }]);
    expect((await registerTools(strict, offer('a'), [{ name: 'a' }], refused)).gone).toEqual([]);
    const denied = { ...customers, deny: ['b'] };
    expect(
      (await registerTools(denied, offer('a'), [], await registerTools(denied, offer('a', 'b'), []))).gone,
    ).toEqual([]);
  });
});

describe('a server without tools', () => {
  test('a server without tools is logged as a warning with its URL [M8, M7]', async () => {
    const registration = await registerTools(strict, [], [{ name: 'x' }]);
    expect(lines(registration)).toEqual([
      "WARNING: MCP server 'internal-tools' at http://localhost:8180/mcp/http/mcp returned no tools",
    ]);
    expect(registration).toMatchObject({ registered: [], missing: [] });
  });

  test('a server without tools is logged with its command line, without environment and secrets, when it uses stdio [M8]', async () => {
    const target = {
      transport: 'stdio' as const,
      command: 'npx',
      args: [
        '-y',
        'server-x',
        '--api-key',
        'sk-123',
        '--token=abc',
        '--url',
        'https://u:p@h.example/?k=v',
        '--dir',
        '/tmp',
      ],
      env: { SECRET: 'sk-456' },
    };
    expect(lines(await registerTools({ ...customers, target }, [], []))).toEqual([
      "WARNING: MCP server 'customers' at npx -y server-x --api-key … --token=… --url https://…@h.example/?… --dir /tmp returned no tools",
    ]);
  });
});

describe('a configured tool that no server offers [M6]', () => {
  const missing = (...args: Parameters<typeof findGone>) => findGone(...args).map(({ message }) => message);

  test('a configured tool that no server offers is logged with the only server', async () => {
    expect(missing([{ name: 'get' }, { name: 'lost' }], [{ server: 'customers', offered: ['get'] }])).toEqual([
      "Tool 'lost' was configured but is no longer available from MCP server 'customers'",
    ]);
  });

  test('a configured tool that no server offers is logged without a server when there are several', async () => {
    const servers = [
      { server: 'customers', offered: ['get'] },
      { server: 'external-api', offered: [] },
    ];
    expect(missing([{ name: 'get' }, { name: 'sum_numbers' }, { name: 'sum' }], servers, ['sum'])).toEqual([
      "Tool 'sum_numbers' is configured, but no MCP server and no local tool has this name",
    ]);
  });

  test('a configured tool that no server offers is compared only with the server it names', async () => {
    const servers = [
      { server: 'a', offered: ['x'] },
      { server: 'b', offered: [] },
    ];
    const configs = [
      { name: 'x', server: 'b' },
      { name: 'x', server: 'a' },
      { name: 'x', server: 'unknown' },
    ];
    expect(missing(configs, servers)).toEqual([
      "Tool 'x' was configured but is no longer available from MCP server 'b'",
    ]);
  });

  test('a configured tool that no server offers is not logged while a server that may offer it has not answered', async () => {
    expect(missing([{ name: 'x' }], [{ server: 'a', offered: [] }, { server: 'b' }])).toEqual([]);
    expect(missing([{ name: 'x', server: 'a' }], [{ server: 'a', offered: [] }, { server: 'b' }])).toHaveLength(1);
  });
});

test('a tool name cannot forge or hide a line of the log', async () => {
  const [line] = lines(await registerTools(customers, offer("x'\nERROR: all is lost\u202e"), []));
  expect(line).toContain("'x'\\u{a}ERROR: all is lost\\u{202e}'");
  expect(line).not.toContain('\n');
});

test('names of the object prototype are ordinary tool names', async () => {
  const registration = await registerTools(strict, offer('constructor', '__proto__'), [
    { name: '__proto__', maxInstances: 1 },
  ]);
  expect(registration.missing).toEqual(['constructor']);
  expect(registration.registered[0]?.limits.maxInstances).toBe(1);
});

test('the last of two definitions with the same name is used', async () => {
  const twice = [...offer('a'), { name: 'a', description: 'second', inputSchema: {} }];
  expect((await registerTools(customers, twice, [])).registered).toMatchObject([
    { definition: { description: 'second' } },
  ]);
});
