import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { createScripts } from '../../packages/toolwharf/bridges/code.ts';
import { localTool } from '../../packages/toolwharf/index.ts';
import { connectAgent, outcomeOf, toCall } from '../support/a2a.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';
import { openToolbox } from '../support/toolbox.ts';

const notes = localTool<{ name: string }>({
  name: 'read_note',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  execute: ({ name }) => {
    if (name === 'none') throw new Error('there is no such note');
    return { title: name.toUpperCase(), lines: ['one', 'two'] };
  },
});
const input = {
  type: 'object',
  properties: { name: { type: 'string' }, to: { type: 'object' }, loud: { type: 'boolean' } },
  required: ['name'],
};
const mail = {
  description: 'Mails a note',
  input,
  steps: [
    { tool: 'read_note', arguments: { name: '{{input.name}}' } },
    {
      tool: 'send',
      arguments: {
        to: '{{input.to}}',
        loud: '{{input.loud}}',
        subject: 'Note {{ steps.1.structured.title }}',
        first: '{{steps.1.json.lines.0}}',
        all: ['{{steps.1.structured.lines}}', '{{steps.1.text}}'],
      },
    },
  ],
};

/** A toolbox with the chain `mail`, and the mails that it sent. */
async function openMail(chains: JsonObject = { mail }, more: JsonObject = {}) {
  const sent: JsonObject[] = [];
  const send = localTool<JsonObject>({ name: 'send', execute: (args) => void sent.push(args) });
  const toolbox = await openToolbox({ servers: {}, toolbox: { chains, ...more } } as never, { tools: [notes, send] });
  return { toolbox, sent, [Symbol.asyncDispose]: () => toolbox.close() };
}

afterEach(() => void vi.useRealTimers());

describe('a chain of tools', () => {
  test('a chain calls its tools in order, each with the results of the earlier ones [R23]', async () => {
    await using opened = await openMail();
    const { toolbox, sent } = opened;
    expect(toolbox.tool('mail')).toMatchObject({ description: 'Mails a note', parameters: input });
    const progress: unknown[] = [];
    const result = await toolbox.call(
      'mail',
      { name: 'plan', to: { a: 1 } },
      { host: { onProgress: ({ message }) => progress.push(message) }, caller: { id: 'ada', kind: 'client' } },
    );
    expect(result).toMatchObject({ isError: false, content: [] });
    const text = '{"title":"PLAN","lines":["one","two"]}';
    // Optional arguments that were not passed are omitted.
    expect(sent).toEqual([{ to: { a: 1 }, subject: 'Note PLAN', first: 'one', all: [['one', 'two'], text] }]);
    expect(progress).toEqual(['Step 1: read_note', 'Step 2: send']);
    const calls = await toolbox.calls.list();
    expect(calls.map(({ tool, caller, status }) => [tool, caller.id, status]).sort()).toEqual([
      ['mail', 'ada', 'success'],
      ['read_note', 'ada', 'success'],
      ['send', 'ada', 'success'],
    ]);
  });

  test('a chain ends at the first step that fails, and reports the failed step and the completed steps', async () => {
    await using opened = await openMail();
    const { toolbox, sent } = opened;
    const failed = await toolbox.call('mail', { name: 'none' });
    expect(failed).toMatchObject({ isError: true });
    expect(failed.text).toContain('Step 1 of 2 (read_note) failed: MCP error: there is no such note');
    expect(sent).toEqual([]);
    expect((await toolbox.call('mail', { name: 1 })).failure?.code).toBe('ARGUMENTS_INVALID');

    await using other = await openMail({
      mail: {
        input,
        steps: [
          { tool: 'read_note', arguments: { name: 'a' } },
          { tool: 'send', arguments: { to: 'x {{steps.1.structured.nothing}}' } },
        ],
      },
      lost: { steps: [{ tool: 'no_such_tool' }] },
    });
    expect((await other.toolbox.call('mail', { name: 'a' })).text).toContain(
      'Step 2 of 2 (send) failed: {{steps.1.structured.nothing}} has no value\nSteps that have run: 1 (read_note)',
    );
    expect((await other.toolbox.call('lost', {})).text).toContain(
      '(no_such_tool) failed: MCP error: Invalid MCP tool name',
    );
  });

  test('a chain can call tools of servers and other chains', async () => {
    await using toolbox = await openToolbox({
      servers: { a: fixture('legacy'), b: fixture('modern') },
      toolbox: {
        chains: {
          twice: {
            input: { type: 'object', properties: { text: { type: 'string' } } },
            steps: [
              { tool: 'mcp_a_echo', arguments: { text: '<{{input.text}}>' } },
              { tool: 'mcp_b_echo', arguments: { text: '[{{steps.1.text}}]' } },
            ],
          },
          fourTimes: {
            steps: [
              { tool: 'twice', arguments: { text: 'x' } },
              { tool: 'twice', arguments: { text: '{{steps.1.text}}' } },
            ],
          },
        },
      },
    });
    expect((await toolbox.call('fourTimes', {})).text).toBe('[<[<x>]>]');
  });

  test('chains are served over MCP and A2A, and the profile of the client applies to each step', async () => {
    await using gateway = await openTestGateway(
      {
        servers: { a: fixture('legacy') },
        toolbox: { chains: { greet: { steps: [{ tool: 'mcp_a_echo', arguments: { text: 'hello' } }] } } },
        profiles: { strict: { approval: { deny: ['mcp_a_echo'] } }, blind: { deny: ['a/echo'] } },
      },
      { createRoutes },
    );
    await using client = await connectClient(`${gateway.url}/mcp`);
    expect(await client.names()).toContain('greet');
    expect(await client.text('greet')).toBe('hello');
    await using held = await connectClient(`${gateway.url}/mcp/strict`);
    expect(await held.text('greet')).toContain(
      'Step 1 of 1 (mcp_a_echo) failed: MCP error: The call to mcp_a_echo was denied',
    );
    // A chain cannot call tools that the profile hides.
    await using blind = await connectClient(`${gateway.url}/mcp/blind`);
    expect(await blind.text('greet')).toContain('failed: MCP error: Invalid MCP tool name: mcp_a_echo');
    const agent = await connectAgent(`${gateway.url}/a2a/blind/`);
    expect(outcomeOf(await agent.sendMessage(toCall('greet', {})))).toMatchObject({
      parts: [{ value: expect.stringContaining('Invalid MCP tool name: mcp_a_echo') }],
    });
  });

  test('a chain takes no permit, so one permit is enough for many chains [M12]', async () => {
    await using opened = await openMail({ mail }, { maxConcurrent: 1, maxQueued: 100 });
    const { toolbox, sent } = opened;
    const results = await Promise.all(Array.from({ length: 20 }, () => toolbox.call('mail', { name: 'plan' })));
    expect(results.filter(({ isError }) => isError)).toEqual([]);
    expect(sent).toHaveLength(20);
    expect(toolbox.calls.stats()).toMatchObject({ running: 0, queued: 0 });
  });

  test('the steps of a chain are approved like other calls, and the timeout of the chain is paused during approvals [R16]', async () => {
    const approvals: string[] = [];
    const send = localTool({ name: 'send', execute: () => 'sent' });
    await using toolbox = await openToolbox(
      {
        servers: {},
        toolbox: {
          approval: { ask: ['send'] },
          chains: { mail: { timeout: 200, steps: [{ tool: 'send' }] } },
        },
      },
      {
        tools: [send],
        approver: {
          ask: async ({ tool }) => {
            approvals.push(tool);
            await vi.advanceTimersByTimeAsync(600);
            return { kind: 'allow' };
          },
        },
      },
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    expect(await toolbox.call('mail', {})).toMatchObject({ isError: false, text: 'sent' });
    expect(approvals).toEqual(['send']);
  });

  test('cancelling a chain cancels its running step', async () => {
    const [running, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const wait = localTool({
      name: 'wait',
      execute: (_, { signal }) => {
        running.resolve();
        signal.addEventListener('abort', () => ended.resolve());
        return new Promise(() => {});
      },
    });
    await using toolbox = await openToolbox(
      { servers: {}, toolbox: { chains: { c: { steps: [{ tool: 'wait' }, { tool: 'wait' }] } } } },
      { tools: [wait] },
    );
    const stop = new AbortController();
    const call = toolbox.call('c', {}, { signal: stop.signal });
    await running.promise;
    stop.abort();
    expect((await call).failure?.code).toBe('CALL_CANCELLED');
    await ended.promise;
    expect((await toolbox.calls.list()).map(({ tool, status }) => [tool, status]).sort()).toEqual([
      ['c', 'error'],
      ['wait', 'error'],
    ]);
  });
});

describe('a local tool that calls other tools', () => {
  test('nested calls of local tools are recorded with their parent and limited to a depth of eight', async () => {
    const depths: number[] = [];
    const deep = localTool<{ at: number }>({
      name: 'deep',
      composed: true,
      execute: async ({ at }, { call }) => {
        depths.push(at);
        return (await call('deep', { at: at + 1 })).text;
      },
    });
    const silent = localTool({ name: 'silent', execute: async (_, { call }) => (await call('deep', { at: 1 })).text });
    await using toolbox = await openToolbox({ servers: {} }, { tools: [deep, silent] });
    expect((await toolbox.call('deep', { at: 1 })).text).toContain('more than 8 deep');
    expect(depths).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await toolbox.call('silent', {})).text).toContain('declare it with composed: true');
  });
});

describe('a chain that is a script', () => {
  const servers = { a: fixture('legacy') };
  const shout = {
    description: 'Echoes texts loudly',
    input: { type: 'object', properties: { texts: { type: 'array', items: { type: 'string' } } }, required: ['texts'] },
    code: `const said: string[] = await Promise.all(input.texts.map((text) => tools.a.echo({ text: \`\${text}!\` })));
      ({ said, count: said.length })`,
  };
  const openScripted = (chains: JsonObject, more: JsonObject = {}) =>
    openToolbox({ servers, toolbox: { chains }, ...more } as never, { scripts: createScripts() });

  test('its arguments are its input, its value is its result, and its calls are its children', async () => {
    await using toolbox = await openScripted({ shout });
    expect(toolbox.tool('shout')).toMatchObject({ description: 'Echoes texts loudly', parameters: shout.input });
    const result = await toolbox.call('shout', { texts: ['x', 'y'] });
    expect(result.structuredContent).toEqual({ said: ['x!', 'y!'], count: 2 });
    expect(await toolbox.call('shout', { texts: 'x' })).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
    const records = await toolbox.calls.list();
    const steps = records.filter(({ parent }) => parent?.id === result.callId);
    expect(steps.map(({ originalName }) => originalName)).toEqual(['echo', 'echo']);
  });

  test('a failed script says where it failed, and a script without a value has an empty result', async () => {
    await using toolbox = await openScripted({
      failing: { code: 'const one = 1;\nthrow new Error(`no ${one}`)' },
      silent: { code: 'const nothing = 1;' },
    });
    expect((await toolbox.call('failing', {})).text).toContain('Error: no 1 (line 2');
    expect(await toolbox.call('silent', {})).toMatchObject({ isError: false, text: '' });
  });

  test('scripts, sequences and scripts in them call each other with a single process', async () => {
    const chains = {
      inner: { code: "await tools.a.echo({ text: 'deep' })" },
      between: { steps: [{ tool: 'inner' }] },
      outer: { code: '(await Promise.all([tools.local.between(), tools.local.inner()])).join()' },
      endless: { code: 'await tools.local.endless()' },
    };
    await using toolbox = await openScripted(chains, { gateway: { limits: { maxScripts: 1 } } });
    expect((await toolbox.call('outer', {})).text).toBe('deep,deep');
    expect((await toolbox.call('endless', {})).text).toContain('more than 8 deep');
  });

  test('a remembered approval does not apply to another script of the same name', async () => {
    const hashOf = async (code: string) => {
      await using toolbox = await openScripted({ one: { code } });
      return toolbox.catalog.find('one')?.definitionHash;
    };
    expect(await hashOf('1')).toBe(await hashOf('1'));
    expect(await hashOf('1')).not.toBe(await hashOf('2'));
  });

  test('it is served over MCP, and the profile of the client applies to its calls', async () => {
    await using gateway = await openTestGateway({
      servers,
      toolbox: { chains: { shout } },
      profiles: { blind: { deny: ['a/echo'] } },
    });
    await using client = await connectClient(`${gateway.url}/mcp`);
    expect(await client.names()).toContain('shout');
    expect(await client.text('shout', { texts: ['x'] })).toBe('{"said":["x!"],"count":1}');
    await using blind = await connectClient(`${gateway.url}/mcp/blind`);
    expect(await blind.text('shout', { texts: ['x'] })).toContain('Unknown tool: tools.a.echo');
  });

  test('a toolbox without scripts says what is missing', async () => {
    await using toolbox = await openToolbox({ servers: {}, toolbox: { chains: { one: { code: '1' } } } } as never);
    expect((await toolbox.call('one', {})).text).toContain('this toolbox has no `scripts`');
  });
});

describe('a chain in a configuration', () => {
  const problemOf = (chains: JsonObject) =>
    openToolbox({ servers: {}, toolbox: { chains } } as never).then(
      () => expect.fail('it was taken'),
      (cause: Error) => cause.message,
    );

  test.each<[JsonObject, string]>([
    [{ a: { steps: [] } }, 'must have at least one step'],
    [{ a: {} }, 'chains.a.steps  is required, or code'],
    [{ a: { code: '1', steps: [{ tool: 'x' }] } }, 'cannot be combined with steps'],
    [{ a: { code: '', steps: [] } }, 'must not be empty'],
    [{ 'a b': { steps: [{ tool: 'x' }] } }, 'a name must have 1 to 64'],
    [{ a: { steps: [{ tool: 'x', arguments: { b: '{{input.c}}' } }] } }, "{{input.c}}: input has no property 'c'"],
    [{ a: { steps: [{ tool: 'x', arguments: { b: ['{{steps.1.text}}'] } }] } }, 'can refer to earlier steps only'],
    [{ a: { steps: [{ tool: 'x', arguments: { b: '{{last}}' } }] } }, '{{last}} is neither'],
    [{ a: { steps: [{ tool: 'x', arguments: { b: '{{steps.1.text.c}}' } }] } }, 'is neither'],
    [{ a: { input: { type: 'array' }, steps: [{ tool: 'x' }] } }, 'must have type: object'],
    [{ a: { steps: [{ tool: 'b' }] }, b: { steps: [{ tool: 'a' }] } }, 'calls itself: a → b → a'],
  ])('a chain in a configuration such as %j is rejected: %s [M11]', async (chains, problem) => {
    expect(await problemOf(chains)).toContain(problem);
  });
});
