import { writeFile } from 'node:fs/promises';
import type { Transport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type ApprovalRequest,
  createToolbox,
  definePlugin,
  type ExportedItem,
  localTool,
  type Plugin,
  pluginTransport,
  type ReviewedCall,
} from '../../packages/toolwharf/index.ts';
import { collectLog, fixture, tempDir } from '../support/fixtures.ts';
import { serveTcp } from '../support/serve-tcp.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

const echo = localTool({
  name: 'echo',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  execute: ({ text }: { text: string }) => text,
});
const open = (plugins: readonly Plugin[], config: object = {}, options: object = {}) =>
  openToolbox({ servers: {}, ...config }, { tools: [echo], plugins, ...options });
const always = { toolbox: { approval: { mode: 'always-ask' } } };

describe('the policy of a plugin', () => {
  test('the policy of a plugin denies calls, requires approval, and leaves other calls alone', async () => {
    const seen: ReviewedCall[] = [];
    const asked: ApprovalRequest[] = [];
    const policy = definePlugin({
      name: 'words',
      policy: (call) => {
        seen.push(call);
        const { text } = call.arguments;
        if (text === 'no') return { kind: 'deny', reason: 'it says no' };
        return text === 'maybe' ? { kind: 'ask', reason: 'it says maybe' } : undefined;
      },
    });
    const approver = {
      ask: async (request: ApprovalRequest) => {
        asked.push(request);
        return { kind: 'allow', by: 'Ada' } as const;
      },
    };
    await using toolbox = await open([policy], {}, { approver });
    expect((await toolbox.call('echo', { text: 'yes' })).text).toBe('yes');
    expect(asked).toEqual([]);
    const denied = await toolbox.call('echo', { text: 'no' });
    expect(denied).toMatchObject({ isError: true, failure: { code: 'CALL_DENIED' } });
    expect(denied.text).toContain('it says no');
    expect((await toolbox.call('echo', { text: 'maybe' })).text).toBe('maybe');
    expect(asked).toMatchObject([{ reason: 'it says maybe', policy: 'words', arguments: { text: 'maybe' } }]);
    expect(seen[0]).toMatchObject({ kind: 'tool', tool: 'echo', decision: 'allow', arguments: { text: 'yes' } });
    const [record] = await toolbox.calls.list({ limit: 1 });
    expect(record?.approval).toMatchObject({ answer: 'allow', by: 'Ada' });
  });

  test('the policy of a plugin can never allow more than the configuration', async () => {
    const lenient = definePlugin({ name: 'lenient', policy: () => ({ kind: 'allow' }) as never });
    const silent = definePlugin({ name: 'silent', policy: () => undefined });
    await using denying = await open([silent], { toolbox: { approval: { deny: ['echo'] } } });
    expect(await denying.call('echo', { text: 'x' })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    await using asking = await open([silent], always);
    expect(await asking.call('echo', { text: 'x' })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    await using wrong = await open([lenient], always);
    expect(await wrong.call('echo', { text: 'x' })).toMatchObject({ failure: { code: 'POLICY_FAILED' } });
  });

  test('the policy of a plugin sees the arguments that an approver edited, and can deny them', async () => {
    const policy = definePlugin({
      name: 'words',
      policy: ({ arguments: { text } }) => (text === 'no' ? { kind: 'deny', reason: 'it says no' } : undefined),
    });
    const approver = { ask: async () => ({ kind: 'allow', arguments: { text: 'no' } }) as const };
    await using toolbox = await open([policy], always, { approver });
    const edited = await toolbox.call('echo', { text: 'yes' });
    expect(edited).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect(edited.text).toContain('it says no');
  });

  test('the policy of a plugin reviews reads of resources, and the steps of chains', async () => {
    const seen: string[] = [];
    const policy = definePlugin({
      name: 'reads',
      policy: ({ kind, tool, arguments: args }) => {
        seen.push(`${kind} ${tool}`);
        return kind === 'resource' ? { kind: 'deny', reason: `${args.uri} is private` } : undefined;
      },
    });
    const chains = {
      both: {
        steps: [
          { tool: 'echo', arguments: { text: 'one' } },
          { tool: 'mcp_s_echo', arguments: { text: 'two' } },
        ],
      },
    };
    await using toolbox = await open([policy], { servers: { s: fixture('legacy') }, toolbox: { chains } });
    await expect(toolbox.resources.read('s', 'memo://one')).rejects.toMatchObject({
      code: 'CALL_DENIED',
      message: expect.stringContaining('memo://one is private'),
    });
    expect((await toolbox.call('both', {})).isError).toBe(false);
    expect(seen).toEqual(['resource resources/read', 'tool both', 'tool echo', 'tool mcp_s_echo']);
  });

  test('the policy of a plugin that throws, rejects, answers wrongly or changes the call prevents the call with POLICY_FAILED, and other calls run', async () => {
    const { log, entries } = collectLog();
    const broken = definePlugin({
      name: 'broken',
      policy: ({ arguments: args }) => {
        if (args.text === 'throw') throw new Error('no database');
        if (args.text === 'reject') return Promise.reject(new Error('no network'));
        if (args.text === 'wrong') return 'deny' as never;
        (args as { text: string }).text = 'changed';
        return undefined;
      },
    });
    await using toolbox = await open([broken], {}, { log });
    for (const [text, cause] of [
      ['throw', 'no database'],
      ['reject', 'no network'],
      ['wrong', 'must return undefined'],
    ]) {
      const failed = await toolbox.call('echo', { text });
      expect(failed).toMatchObject({ isError: true, failure: { code: 'POLICY_FAILED' } });
      expect(failed.text).toContain(
        `The policy of plugin 'broken' failed: ${cause === 'must return undefined' ? 'it ' : ''}${cause}`,
      );
    }
    expect((await toolbox.call('echo', { text: 'still here' })).text).toBe('still here');
    expect(entries.filter(({ event }) => event === 'plugin.policy-failed')).toHaveLength(3);
  });
});

describe('the approver of a plugin', () => {
  test('the approver of a plugin answers for one call, and the journal names it', async () => {
    const approver = definePlugin({
      name: 'office-hours',
      approver: async ({ arguments: { text } }) =>
        text === 'later'
          ? { kind: 'deny', reason: 'the office is closed' }
          : ({ kind: 'allow', scope: 'tool' } as never),
    });
    await using toolbox = await open([approver], always);
    expect((await toolbox.call('echo', { text: 'now' })).text).toBe('now');
    expect((await toolbox.call('echo', { text: 'later' })).text).toContain('the office is closed');
    expect(await toolbox.approvals.rules()).toEqual([]);
    const records = await toolbox.calls.list();
    expect(records.map(({ approval }) => [approval?.answer, approval?.by])).toEqual([
      ['deny', 'plugin:office-hours'],
      ['allow', 'plugin:office-hours'],
    ]);
  });

  test('the approver of a plugin that throws, answers wrongly or leaves the answer to others does not end the approval of a person', async () => {
    const broken = [
      () => {
        throw new Error('no network');
      },
      () => 'yes' as never,
      () => undefined,
      () => new Promise<never>(() => {}),
    ];
    const plugins = broken.map((approver, index) => definePlugin({ name: `broken-${index}`, approver }));
    const person = { ask: async () => ({ kind: 'allow', by: 'Ada' }) as const };
    const { log, entries } = collectLog();
    await using toolbox = await open(plugins, always, { approver: person, log });
    expect((await toolbox.call('echo', { text: 'x' })).text).toBe('x');
    expect((await toolbox.calls.list())[0]?.approval?.by).toBe('Ada');
    expect(entries.filter(({ event }) => event === 'plugin.approver-failed')).toHaveLength(2);

    await using alone = await open(plugins.slice(0, 3), always);
    expect((await alone.call('echo', { text: 'x' })).text).toContain('no plugin answered');
    await using hanging = await open(plugins.slice(3), {
      toolbox: { approval: { mode: 'always-ask', expires: '50ms' } },
    });
    expect((await hanging.call('echo', { text: 'x' })).text).toContain('no answer within');
  });

  test('the approver of a plugin withdraws the question from the person when it answers first', async () => {
    const withdrawn = Promise.withResolvers<void>();
    const person = {
      ask: (_request: ApprovalRequest, signal: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            withdrawn.resolve();
            reject(signal.reason);
          });
        }),
    };
    const plugin = definePlugin({ name: 'quick', approver: () => ({ kind: 'allow' }) });
    await using toolbox = await open([plugin], always, { approver: person });
    expect((await toolbox.call('echo', { text: 'x' })).text).toBe('x');
    await withdrawn.promise;
  });
});

describe('the exporter of a plugin', () => {
  test('the exporter of a plugin receives ended calls and events, the last ones before the toolbox has closed', async () => {
    const items: ExportedItem[] = [];
    let isClosed = false;
    const exporter = definePlugin({
      name: 'collector',
      exporter: (batch) => void items.push(...batch),
      close: () => {
        isClosed = true;
      },
    });
    const toolbox = await open([exporter], { servers: { s: fixture('legacy') } });
    await toolbox.call('echo', { text: 'x' });
    await toolbox.call('echo', { text: 5 });
    expect(toolbox.plugins()).toMatchObject([{ name: 'collector', parts: ['exporter'] }]);
    await toolbox.close();
    expect(isClosed).toBe(true);
    const calls = items.flatMap((item) => (item.type === 'call' ? item.call : []));
    expect(calls).toMatchObject([
      { tool: 'echo', status: 'success', arguments: { text: 'x' } },
      { tool: 'echo', status: 'error', error: { code: 'ARGUMENTS_INVALID' } },
    ]);
    const events = items.flatMap((item) => (item.type === 'event' ? item.name : []));
    expect(events).toEqual(expect.arrayContaining(['server.changed', 'catalog.changed']));
  });

  test('the exporter of a plugin that throws, rejects or hangs has no effect on calls', async () => {
    const { log, entries } = collectLog();
    const plugins = [
      definePlugin({
        name: 'throws',
        exporter: () => {
          throw new Error('disk full');
        },
      }),
      definePlugin({ name: 'rejects', exporter: async () => Promise.reject(new Error('no network')) }),
      definePlugin({ name: 'hangs', exporter: () => new Promise(() => {}) }),
    ];
    await using toolbox = await open(plugins, {}, { log });
    for (let index = 0; index < 5; index++) expect((await toolbox.call('echo', { text: 'x' })).text).toBe('x');
    const dropped = () => toolbox.plugins().map((plugin) => plugin.dropped);
    await waitFor(async () => dropped()[0] && dropped()[1], { what: 'the failure of two exporters' });
    const failures = entries.filter(({ event }) => event === 'plugin.exporter-failed');
    expect(failures.map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('disk full'), expect.stringContaining('no network')]),
    );
  });
});

describe('the transport of a plugin', () => {
  const tcp = new URL('../fixtures/plugins/tcp.mjs', import.meta.url).pathname;

  test('the transport of a plugin reaches a server, which reconnects after a loss', async () => {
    await using server = await serveTcp('legacy');
    const file = directory.file('tcp.yaml');
    await writeFile(
      file,
      `plugins: [${tcp}]\nservers:\n  far: { transport: tcp, options: { port: ${server.port} }, protocol: legacy }\n`,
    );
    await using toolbox = await openToolbox(file);
    expect((await toolbox.call('mcp_far_echo', { text: 'ahoy' })).text).toBe('ahoy');
    expect(toolbox.servers.get('far')).toMatchObject({
      transport: 'plugin',
      place: 'tcp',
      status: { transport: 'plugin' },
    });
    const lost = new Promise<void>((resolve) => {
      toolbox.on('server.changed', ({ status }) => status.state !== 'connected' && resolve());
    });
    server.hangUp();
    await lost;
    await toolbox.servers.connect('far');
    expect((await toolbox.call('mcp_far_echo', { text: 'again' })).text).toBe('again');
  });

  test('the transport of a plugin of the program can be used in its configuration', async () => {
    await using server = await serveTcp('legacy');
    const { default: plugin } = (await import(tcp)) as { default: Plugin };
    const servers = { far: { transport: 'tcp', options: { port: server.port }, protocol: 'legacy' as const } };
    await using toolbox = await createToolbox({ servers }, { plugins: [plugin], log: false });
    expect((await toolbox.call('mcp_far_echo', { text: 'ahoy' })).text).toBe('ahoy');
  });

  test('the transport of a plugin that throws, hangs or returns something else makes its server unreachable, and other servers work', async () => {
    const transports = {
      throws: pluginTransport({
        open: () => {
          throw new Error('no route');
        },
      }),
      hangs: pluginTransport({ open: () => new Promise<never>(() => {}) }),
      nothing: pluginTransport({ open: () => ({}) as never }),
      'never-starts': pluginTransport({
        open: () => ({
          start: () => new Promise<never>(() => {}),
          send: async () => {},
          close: async () => {},
        }),
      }),
      garbage: pluginTransport({
        open: () => {
          const transport = {
            onmessage: undefined as Transport['onmessage'],
            start: async () => {},
            send: async () => transport.onmessage?.(undefined as never),
            close: async () => {},
          };
          return transport;
        },
      }),
    };
    const names = Object.keys(transports);
    const servers = Object.fromEntries(
      names.map((name) => [name, { transport: name, timeout: '1s', retryAttempts: 0 }]),
    );
    await using toolbox = await openToolbox(
      { servers: { ...servers, s: fixture('legacy') } },
      { plugins: [definePlugin({ name: 'broken', transports })] },
    );
    // While a server is tried again, its status has no reason.
    const reasons = new Map<string, string>();
    const addReasons = () => {
      for (const name of names) {
        const { reason } = toolbox.servers.status(name) ?? {};
        if (reason !== undefined) reasons.set(name, reason);
      }
      return reasons.size;
    };
    await expect.poll(addReasons).toBe(names.length);
    expect(Object.fromEntries(reasons)).toMatchObject({
      throws: expect.stringContaining('no route'),
      hangs: expect.stringContaining('No answer within 1000 ms'),
      nothing: expect.stringContaining('is not a transport'),
      'never-starts': expect.stringContaining('No answer within 1000 ms'),
      garbage: expect.stringContaining('No answer within 1000 ms'),
    });
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
  });
});
