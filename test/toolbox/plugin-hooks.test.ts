import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  definePlugin,
  localTool,
  type Plugin,
  type PluginCall,
  type PluginNotice,
  type PluginUse,
} from '../../packages/toolwharf/index.ts';
import { collectLog, fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

const servers = { s: fixture('legacy') };
const open = (plugins: readonly (Plugin | PluginUse)[], config: object = {}, options: object = {}) =>
  openToolbox({ servers, ...config }, { plugins, ...options });
const broken = () => {
  throw new Error('no database');
};

describe('the hook list of a plugin', () => {
  const hidesFail = definePlugin({ name: 'hides', list: ({ originalName }) => originalName !== 'fail' });

  test('the hook list of a plugin hides a tool from the list, and nobody can call it, also not as a step', async () => {
    const both = localTool({
      name: 'both',
      composed: true,
      execute: async (_args, { call }) => (await call('mcp_s_fail', {})).text,
    });
    await using toolbox = await open([hidesFail], {}, { tools: [both] });
    const names = toolbox.tools.map(({ name }) => name);
    expect(names).toContain('mcp_s_echo');
    expect(names).not.toContain('mcp_s_fail');
    expect(toolbox.tool('mcp_s_fail')).toBeUndefined();
    expect(await toolbox.call('mcp_s_fail', {})).toMatchObject({ failure: { code: 'TOOL_NAME_INVALID' } });
    expect((await toolbox.call('both', {})).text).toContain('Invalid MCP tool name');
  });

  test('the hook list of a plugin answers for each profile', async () => {
    const onlyTeam = definePlugin({ name: 'only-team', list: (_tool, { profile }) => profile === 'team' });
    await using toolbox = await open([onlyTeam]);
    expect(toolbox.tools).toEqual([]);
    expect(toolbox.toolsOf('team').length).toBeGreaterThan(5);
    expect(toolbox.toolsOf('other')).toEqual([]);
  });

  test('the hook list of a plugin that fails hides the tool, or shows it if the operator allows failures, and is asked once for each definition', async () => {
    let asked = 0;
    const failing = (name: string) =>
      definePlugin({
        name,
        list: () => {
          asked++;
          return broken();
        },
      });
    const { log, entries } = collectLog();
    await using closed = await open([failing('closed')], {}, { log });
    expect(closed.tools).toEqual([]);
    const first = asked;
    expect(closed.tools).toEqual([]);
    expect((await closed.call('mcp_s_echo', { text: 'x' })).failure?.code).toBe('TOOL_NAME_INVALID');
    expect(asked).toBe(first);
    expect(entries.find(({ event }) => event === 'plugin.hook-failed')?.message).toContain('no database');
    await using lenient = await open([{ plugin: failing('lenient'), onFailure: 'allow' }]);
    expect(lenient.tools.length).toBeGreaterThan(5);
    const promising = definePlugin({ name: 'promising', list: (async () => true) as never });
    await using late = await open([promising]);
    expect(late.tools).toEqual([]);
  });
});

describe('the hook change of a plugin', () => {
  const upper = definePlugin({
    name: 'upper',
    change: ({ originalName, arguments: { text } }) =>
      originalName === 'echo' ? { arguments: { text: String(text).toUpperCase() }, labels: ['loud'] } : undefined,
  });

  test('the hook change of a plugin changes the arguments for rules, reviews, people, the journal and the server', async () => {
    const reviewed: unknown[] = [];
    const asked: unknown[] = [];
    const reviewer = definePlugin({
      name: 'reviewer',
      review: ({ arguments: args, labels }) => {
        reviewed.push([args, labels]);
        return { kind: 'allow', labels: ['seen'] };
      },
    });
    const suffix = definePlugin({
      name: 'suffix',
      change: ({ arguments: { text }, labels }) => ({ arguments: { text: `${text}!${labels}` } }),
    });
    await using toolbox = await open(
      [upper, suffix, reviewer],
      { toolbox: { approval: { mode: 'always-ask' } } },
      {
        approver: {
          ask: async ({ arguments: args }: { arguments: unknown }) => {
            asked.push(args);
            return { kind: 'allow' } as const;
          },
        },
      },
    );
    expect((await toolbox.call('mcp_s_echo', { text: 'ahoy' })).text).toBe('AHOY!loud');
    expect(asked).toEqual([{ text: 'AHOY!loud' }]);
    expect(reviewed[0]).toEqual([{ text: 'AHOY!loud' }, ['loud']]);
    const [record] = await toolbox.calls.list();
    expect(record).toMatchObject({
      arguments: { text: 'AHOY!loud' },
      changedBy: { arguments: ['upper', 'suffix'] },
      labels: ['loud', 'seen'],
    });
  });

  test('the hook change of a plugin runs before validation, and not for what a person edited', async () => {
    const wrong = definePlugin({ name: 'wrong', change: () => ({ arguments: { text: 5 } }) });
    await using invalid = await open([wrong]);
    expect(await invalid.call('mcp_s_echo', { text: 'x' })).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
    const editor = { ask: async () => ({ kind: 'allow', arguments: { text: 'edited' } }) as const };
    await using edited = await open([upper], { toolbox: { approval: { mode: 'always-ask' } } }, { approver: editor });
    expect((await edited.call('mcp_s_echo', { text: 'x' })).text).toBe('edited');
  });

  test('the hook change of a plugin that fails prevents the call, unless the operator allows failures', async () => {
    const failing = definePlugin({ name: 'failing', change: broken });
    const { log, entries } = collectLog();
    await using strict = await open([failing], {}, { log });
    const refused = await strict.call('mcp_s_echo', { text: 'x' });
    expect(refused).toMatchObject({ failure: { code: 'POLICY_FAILED', data: { plugin: 'failing' } } });
    expect(refused.text).toContain("The change hook of plugin 'failing' failed: no database");
    expect((await strict.calls.list())[0]?.startedAt).toBeUndefined();
    expect(entries.map(({ event }) => event)).toContain('plugin.hook-failed');
    await using lenient = await open([{ plugin: failing, onFailure: 'allow' }]);
    expect((await lenient.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
    expect(lenient.plugins()[0]?.hooks).toMatchObject([{ hook: 'change', runs: 1, failures: 1, shadowed: 0 }]);
  });

  test('the hook change of a plugin that hangs ends at its time limit', async () => {
    const hanging = definePlugin({ name: 'hanging', change: () => new Promise(() => {}) });
    await using toolbox = await open([{ plugin: hanging, timeoutMs: 20 }]);
    const refused = await toolbox.call('mcp_s_echo', { text: 'x' });
    expect(refused.text).toContain('no answer within 20 ms');
    expect(refused.failure?.code).toBe('POLICY_FAILED');
  });

  test('the hooks of a plugin get frozen copies', async () => {
    const seen: PluginCall[] = [];
    const keeper = definePlugin({
      name: 'keeper',
      change: (call) => void seen.push(call),
      review: (call) => void seen.push(call),
      result: (call, result) => {
        seen.push(call);
        expect(Object.isFrozen(result) && Object.isFrozen(result.content)).toBe(true);
        return undefined;
      },
    });
    await using toolbox = await open([keeper]);
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
    expect(seen).toHaveLength(3);
    for (const call of seen) expect(Object.isFrozen(call) && Object.isFrozen(call.arguments)).toBe(true);
    expect(Object.isFrozen(seen[0]?.caller)).toBe(true);
  });
});

describe('the hook result of a plugin', () => {
  const results = definePlugin({
    name: 'results',
    result({ originalName }, { structuredContent, content }) {
      if (originalName === 'structured') {
        const changed = { ...(structuredContent as object), degrees: 0 };
        return { kind: 'change', result: { structuredContent: changed, content }, labels: ['weather'] };
      }
      if (originalName === 'echo') return { kind: 'block', reason: 'it echoes' };
      return originalName === 'big' ? { kind: 'change', result: { content: [] } } : { kind: 'pass', labels: ['seen'] };
    },
  });

  test('the hook result of a plugin passes, changes and blocks results, with structured content and large ones, before the journal', async () => {
    await using toolbox = await open([results], { toolbox: { maxResultBytes: 10_000 } });
    const structured = await toolbox.call('mcp_s_structured', { city: 'Rome' });
    expect(structured.structuredContent).toMatchObject({ city: 'Rome', degrees: 0 });
    const blocked = await toolbox.call('mcp_s_echo', { text: 'secret' });
    expect(blocked).toMatchObject({ isError: true, failure: { code: 'RESULT_BLOCKED', data: { plugin: 'results' } } });
    expect(blocked.text).toContain('was blocked: it echoes');
    const large = await toolbox.call('mcp_s_big', { bytes: 50_000 });
    expect(large).toMatchObject({ content: [], isError: false });
    expect((await toolbox.call('mcp_s_add', { a: 1, b: 2 })).text).toBe('3');
    const [added, big, echoed, weather] = await toolbox.calls.list();
    expect(added).toMatchObject({ labels: ['seen'] });
    expect(added?.changedBy).toBeUndefined();
    expect(big).toMatchObject({ changedBy: { result: ['results'] }, result: { content: [] } });
    expect(echoed).toMatchObject({ status: 'error', end: 'denied', error: { code: 'RESULT_BLOCKED' } });
    expect(echoed?.result).toBeUndefined();
    expect(echoed?.startedAt).toBeDefined();
    expect(weather).toMatchObject({ labels: ['weather'], result: { structuredContent: { degrees: 0 } } });
  });

  test('the hook result of a plugin gets the content of resources', async () => {
    const blind = definePlugin({
      name: 'blind',
      result: ({ kind }) => (kind === 'resource' ? { kind: 'change', result: { contents: [] } } : undefined),
    });
    await using toolbox = await open([blind]);
    expect(await toolbox.resources.read('s', 'memo://one')).toEqual({ contents: [] });
    const [record] = await toolbox.calls.list();
    expect(record).toMatchObject({ kind: 'resource', changedBy: { result: ['blind'] } });
  });

  test('the hook result of a plugin that fails or hangs withholds the result, unless the operator allows failures', async () => {
    const failing = definePlugin({ name: 'failing', result: broken });
    await using strict = await open([failing]);
    const withheld = await strict.call('mcp_s_echo', { text: 'secret' });
    expect(withheld.failure?.code).toBe('RESULT_BLOCKED');
    expect(withheld.text).not.toContain('secret');
    expect((await strict.calls.list())[0]?.result).toBeUndefined();
    await using lenient = await open([{ plugin: failing, onFailure: 'allow' }]);
    expect((await lenient.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
    const hanging = definePlugin({ name: 'hanging', result: () => new Promise(() => {}) });
    await using slow = await open([{ plugin: hanging, timeoutMs: 20 }]);
    expect((await slow.call('mcp_s_echo', { text: 'x' })).text).toContain('no answer within 20 ms');
    const wrong = definePlugin({ name: 'wrong', result: () => ({ kind: 'change', result: 5 }) as never });
    await using invalid = await open([wrong]);
    expect((await invalid.call('mcp_s_echo', { text: 'x' })).text).toContain('its result must be an object in JSON');
  });
});

test('a plugin in shadow mode changes nothing, and what it would have done is logged and counted', async () => {
  const strict = definePlugin({
    name: 'strict',
    list: () => false,
    change: () => ({ arguments: { text: 'changed' }, labels: ['x'] }),
    review: () => ({ kind: 'deny', reason: 'no' }),
    result: () => ({ kind: 'block', reason: 'no' }),
    launch: () => ({ command: 'no-such-program', args: [], env: {} }),
    approver: () => ({ kind: 'allow' }),
  });
  const { log, entries } = collectLog();
  await using toolbox = await open([{ plugin: strict, mode: 'shadow' }], {}, { log });
  expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
  const [record] = await toolbox.calls.list();
  expect(record).toMatchObject({ arguments: { text: 'x' }, status: 'success' });
  expect(record).not.toHaveProperty('changedBy');
  expect(record).not.toHaveProperty('labels');
  expect(toolbox.tools.length).toBeGreaterThan(5);
  const shadowed = entries.filter(({ event }) => event === 'plugin.shadowed').map(({ message }) => message);
  expect(shadowed).toEqual(
    expect.arrayContaining([
      expect.stringContaining('would have hidden mcp_s_echo'),
      expect.stringContaining('would have changed the arguments of mcp_s_echo'),
      expect.stringContaining('would have denied the call of mcp_s_echo: no'),
      expect.stringContaining('would have blocked the result of mcp_s_echo'),
      expect.stringContaining("would have started no-such-program for server 's'"),
    ]),
  );
  const [info] = toolbox.plugins();
  expect(info).toMatchObject({ mode: 'shadow', onFailure: 'deny' });
  const counts = Object.fromEntries((info?.hooks ?? []).map(({ hook, shadowed: times }) => [hook, times]));
  expect(counts).toMatchObject({ change: 1, review: 1, result: 1 });
  await using asking = await open([{ plugin: strict, mode: 'shadow' }], {
    toolbox: { approval: { mode: 'always-ask' } },
  });
  expect((await asking.call('mcp_s_echo', { text: 'x' })).text).toContain('no plugin answered');
});

describe('the hook launch of a plugin', () => {
  test('the hook launch of a plugin wraps the program of a server, one plugin after the other', async () => {
    const wrap = (name: string) =>
      definePlugin({
        name,
        launch: ({ command, args, env }, { name: server }) => ({
          command: 'env',
          args: [`LAST=${name}`, `BY_${name}=${server}`, command, ...args],
          env,
        }),
      });
    const none = definePlugin({ name: 'none', launch: () => undefined });
    await using toolbox = await open([wrap('first'), none, wrap('second')]);
    const read = async (name: string) => (await toolbox.call('mcp_s_env', { name })).text;
    expect([await read('BY_first'), await read('BY_second')]).toEqual(['s', 's']);
    // The program of the second plugin starts that of the first one.
    expect(await read('LAST')).toBe('first');
    expect(toolbox.plugins().map(({ hooks }) => hooks[0]?.hook)).toEqual(['launch', 'launch', 'launch']);
  });

  test('the hook launch of a plugin that fails keeps the server from starting, unless the operator allows failures', async () => {
    const failing = definePlugin({ name: 'sandbox', launch: broken });
    await using toolbox = await open([failing]);
    expect(toolbox.servers.status('s')?.reason).toContain(
      "The launch hook of plugin 'sandbox' failed: no database. The program of server 's' was not started",
    );
    await using lenient = await open([{ plugin: failing, onFailure: 'allow' }]);
    expect((await lenient.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
    const wrong = definePlugin({ name: 'wrong', launch: () => ({ command: 5 }) as never });
    await using invalid = await open([wrong]);
    expect(invalid.servers.status('s')?.reason).toContain('it must return undefined, or { command, args, env, cwd }');
  });
});

describe('the secrets of a plugin', () => {
  const vault = definePlugin({
    name: 'vault',
    secrets: {
      vault: async ({ path, server }) => {
        if (path !== 'kv/token') throw new Error(`there is no entry ${path}`);
        return `token-of-${server}`;
      },
    },
  });

  test('the secrets of a plugin are resolved for programs and headers before each session, and hidden in results', async () => {
    await using http = await startHttp('legacy-http', { REQUIRE_HEADER: 'x-token: token-of-far' });
    const program = fixture('legacy', { API_TOKEN: '${vault:kv/token}', PLAIN: '${other:kv/token}' });
    await using toolbox = await open([vault], {
      servers: { near: program, far: { url: http.url, headers: { 'x-token': '${vault:kv/token}' } } },
    });
    expect(toolbox.servers.status('far')?.state).toBe('connected');
    expect((await toolbox.call('mcp_near_env', { name: 'API_TOKEN' })).text).toBe('[redacted]');
    // No plugin has this scheme.
    expect((await toolbox.call('mcp_near_env', { name: 'PLAIN' })).text).toBe('${other:kv/token}');
  });

  test('the secrets of a plugin that cannot be resolved keep the server from connecting, and its status names the reference and the plugin', async () => {
    const { log, entries } = collectLog();
    const program = fixture('legacy', { API_TOKEN: '${vault:kv/missing}' });
    await using toolbox = await open([vault], { servers: { near: program } }, { log });
    const reason = toolbox.servers.status('near')?.reason;
    expect(reason).toContain("The secrets hook of plugin 'vault' failed: there is no entry kv/missing");
    expect(reason).toContain("Check ${vault:kv/missing} of server 'near'");
    expect(JSON.stringify(entries)).not.toContain('token-of-');
  });

  test('the secrets of two plugins must have different schemes', async () => {
    const other = definePlugin({ name: 'other', secrets: { vault: () => 'x' } });
    const file = definePlugin({ name: 'file', secrets: { file: () => 'x' } });
    await expect(open([vault, other])).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining("the scheme 'vault' of 'other' is in use already"),
    });
    await expect(open([file])).rejects.toMatchObject({
      message: expect.stringContaining("the scheme 'file' of 'file'"),
    });
  });
});

test('the hook notify of a plugin is told of approvals that wait, were answered and expired, and calls do not wait for it', async () => {
  const notices: string[] = [];
  const listener = definePlugin({
    name: 'listener',
    notify: (notice: PluginNotice) => void notices.push(`${notice.type} ${notice.request.arguments.text}`),
  });
  const hanging = definePlugin({ name: 'hanging', notify: () => new Promise(() => {}) });
  const failing = definePlugin({ name: 'failing', notify: broken });
  const { log, entries } = collectLog();
  const approver = {
    ask: async ({ arguments: { text } }: { arguments: { text?: unknown } }) =>
      text === 'never' ? new Promise<never>(() => {}) : ({ kind: 'allow' } as const),
  };
  await using toolbox = await open(
    [listener, hanging, failing],
    { toolbox: { approval: { mode: 'always-ask', expires: '50ms' } } },
    { approver, log },
  );
  expect((await toolbox.call('mcp_s_echo', { text: 'soon' })).text).toBe('soon');
  expect((await toolbox.call('mcp_s_echo', { text: 'never' })).text).toContain('no answer within');
  await waitFor(() => notices.length === 4, { what: 'the notices' });
  expect(notices).toEqual([
    'approval.waiting soon',
    'approval.answered soon',
    'approval.waiting never',
    'approval.expired never',
  ]);
  expect(entries.filter(({ event }) => event === 'plugin.hook-failed')).toHaveLength(4);
});

test('an exporter without content gets the records of calls without arguments and results', async () => {
  const calls: object[] = [];
  const meter = definePlugin({
    name: 'meter',
    exporter: { content: false, export: (items) => void calls.push(...items) },
  });
  const toolbox = await open([meter]);
  await toolbox.call('mcp_s_echo', { text: 'x' });
  await toolbox.close();
  expect(calls).toMatchObject([{ tool: 'mcp_s_echo', server: 's', status: 'success', caller: { id: 'program' } }]);
  expect(calls[0]).not.toHaveProperty('arguments');
  expect(calls[0]).not.toHaveProperty('result');
});

test('the tools of a plugin can change while they are used, depend on the configuration, and be scripts', async () => {
  let words = ['one'];
  let announce: () => Promise<void> = async () => {};
  const changing = definePlugin({
    name: 'changing',
    tools: {
      list: () => words.map((name) => ({ name, execute: () => name })),
      subscribe(changed) {
        announce = changed;
      },
    },
  });
  const counting = definePlugin({
    name: 'counting',
    tools: async ({ servers: all }) => [
      { name: 'servers', execute: () => `${all.length}` },
      { name: 'sum', code: 'return (await tools.mcp_s_add({ a: 1, b: 2 })).text' },
    ],
  });
  await using toolbox = await open([changing, counting]);
  expect((await toolbox.call('one', {})).text).toBe('one');
  expect((await toolbox.call('servers', {})).text).toBe('1');
  expect(toolbox.tool('sum')).toBeDefined();
  // A static tool wins over a changing one.
  words = ['two', 'servers'];
  await announce();
  expect(toolbox.tool('one')).toBeUndefined();
  expect((await toolbox.call('two', {})).text).toBe('two');
  expect((await toolbox.call('servers', {})).text).toBe('1');
  expect(toolbox.plugins().map(({ parts }) => parts)).toEqual([['tools'], ['tools']]);
});

test('the settings of a plugin check its options, reach its hooks parsed, and are shown as JSON Schema', async () => {
  const limit = definePlugin({
    name: 'limit',
    settings: z.object({ max: z.number().default(3) }),
    review: ({ arguments: { text } }, { settings: { max } }) =>
      String(text).length > max ? { kind: 'deny', reason: `longer than ${max}` } : undefined,
  });
  await using toolbox = await open([limit]);
  expect((await toolbox.call('mcp_s_echo', { text: 'four' })).text).toContain('longer than 3');
  await using longer = await open([{ plugin: limit, options: { max: 4 } }]);
  expect((await longer.call('mcp_s_echo', { text: 'four' })).text).toBe('four');
  expect(longer.plugins()[0]?.settings).toMatchObject({ properties: { max: { type: 'number', default: 3 } } });
  await expect(open([{ plugin: limit, options: { max: 'many' } }])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining("plugin 'limit' rejects its options: max:"),
  });
});

test('a plugin of the first version works: its policy is a review that can only object', async () => {
  const old = definePlugin({
    name: 'old',
    policy: (call) => {
      // The first version passed a copy that could be changed.
      (call.arguments as { text: string }).text += '';
      return call.arguments.text === 'no' ? { kind: 'deny', reason: 'it says no' } : undefined;
    },
  });
  await using toolbox = await open([old]);
  expect((await toolbox.call('mcp_s_echo', { text: 'yes' })).text).toBe('yes');
  expect((await toolbox.call('mcp_s_echo', { text: 'no' })).text).toContain('it says no');
  expect(toolbox.plugins()[0]).toMatchObject({ parts: ['policy'], hooks: [{ hook: 'review', runs: 2 }] });
  const both = { ...old, review: () => undefined };
  await expect(open([both])).rejects.toMatchObject({ message: expect.stringContaining("has 'policy' and 'review'") });
});
