import { describe, expect, test } from 'vitest';
import { createPolicyPlugin } from '../../packages/toolwharf/features/policy/policy-plugin.ts';
import { createRedactionPlugin } from '../../packages/toolwharf/features/redaction/redaction-plugin.ts';
import {
  type ApprovalRequest,
  definePlugin,
  type ExportedItem,
  localTool,
  type PluginNotice,
  type ToolboxOptions,
} from '../../packages/toolwharf/index.ts';
import { exactParts } from '../../packages/toolwharf/invocation/shape-result.ts';
import { toJsonText } from '../../packages/toolwharf/kernel/exact-json.ts';
import { collectLog, fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const email = 'ada.lovelace@example.com';
const card = '4111111111111111';
const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

const open = (redaction: object, options: ToolboxOptions = {}, config: object = {}) =>
  openToolbox({ servers: { s: fixture('legacy') }, redaction, ...config } as never, {
    ...options,
    plugins: [createRedactionPlugin(), ...(options.plugins ?? [])],
  });

/** Tools of the program: one returns what it got, and what it got is remembered. */
function tools() {
  const received: unknown[] = [];
  const keep = localTool({
    name: 'keep',
    execute(args) {
      received.push(args);
      return 'kept';
    },
  });
  const find = localTool({ name: 'find', execute: () => ({ people: [{ email }, { email: 'bob@example.com' }] }) });
  return { received, tools: [keep, find] };
}

describe('values in results', () => {
  test('a masked value reaches nobody, and the journal has a receipt without values', async () => {
    const { log, entries } = collectLog();
    const exported: ExportedItem[] = [];
    const plugin = definePlugin({ name: 'all', exporter: (items) => void exported.push(...items) });
    await using toolbox = await open(
      { results: { email: 'mask', secret: 'mask', card: 'detect' } },
      { log, plugins: [plugin] },
    );
    const events: unknown[] = [];
    toolbox.on('call.changed', (record) => events.push(record));
    const result = await toolbox.call('mcp_s_echo', { text: `${email} pays with ${card}; token ${token}` });
    expect(result.text).toBe(`[email] pays with ${card}; token [secret]`);
    const [record] = await toolbox.calls.list();
    expect(record?.redaction).toEqual([
      { class: 'email', rule: 'email', direction: 'results', action: 'mask', count: 1 },
      { class: 'card', rule: 'card', direction: 'results', action: 'detect', count: 1 },
      { class: 'secret', rule: 'github-token', direction: 'results', action: 'mask', count: 1 },
    ]);
    await waitFor(() => exported.some(({ type }) => type === 'call'), { what: 'the export' });
    // The caller sent the values, so the arguments have them. The results have not.
    const results = [
      result,
      record?.result,
      record?.redaction,
      entries,
      ...events.map((one) => (one as typeof record)?.result),
    ];
    for (const seen of results) expect(JSON.stringify(seen) ?? '').not.toContain(email);
    expect(JSON.stringify(exported).split(email)).toHaveLength(2);
  });

  test('everything else in a changed result stays as it was: numbers, order and unknown members', async () => {
    await using toolbox = await open({ results: { email: 'mask' } }, {}, { servers: { s: fixture('exact') } });
    const structured = `{"z":9007199254740993,"a":1.0,"n":1e30,"to":"${email}","who":{"${email}":true}}`;
    const content = `[{"type":"text","text":"to ${email}"}]`;
    const result = await toolbox.call('mcp_s_echo', {
      result: `{"content":${content},"structuredContent":${structured},"_meta":{"x/y":[0.1000000000000000055]}}`,
    });
    expect(result.text).toBe('to [email]');
    expect(toJsonText(exactParts(result).structuredContent)).toBe(
      '{"z":9007199254740993,"a":1.0,"n":1e30,"to":"[email]","who":{"[email]":true}}',
    );
    expect(toJsonText(exactParts(result)._meta)).toBe('{"x/y":[0.1000000000000000055]}');
  });

  test('a blocked result is withheld, and says why without the value', async () => {
    await using toolbox = await open({ results: { secret: 'block' } });
    const result = await toolbox.call('mcp_s_echo', { text: `the token is ${token}` });
    expect(result).toMatchObject({
      failure: { code: 'RESULT_BLOCKED' },
      text: 'MCP error: The result of mcp_s_echo was blocked: it contains what the redaction settings block: secret (github-token)',
    });
    expect((await toolbox.calls.list())[0]).toMatchObject({
      end: 'denied',
      redaction: [{ action: 'block', count: 1 }],
    });
  });

  test('secrets and identifiers are recognised by the names of their members, and numbers are masked too', async () => {
    const values = {
      user: 'shop',
      dbPassword: 'h0rse!battery',
      bsn: 111222333,
      number: 4111111111111111,
      id: 123456789,
    };
    const read = localTool({
      name: 'read',
      execute: () => ({ structuredContent: values, content: [{ type: 'text', text: JSON.stringify(values) }] }),
    });
    await using toolbox = await open(
      { results: { secret: 'mask', 'national-id': 'mask', card: 'mask' } },
      { tools: [read] },
    );
    const result = await toolbox.call('read', {});
    const masked = { user: 'shop', dbPassword: '[secret]', bsn: '[national-id]', number: '[card]', id: 123456789 };
    expect(result.structuredContent).toEqual(masked);
    expect(JSON.parse(result.text)).toEqual(masked);
  });

  test('errors, resources and prompts are redacted', async () => {
    const fail = localTool({
      name: 'fail',
      execute() {
        throw new Error(`no account for ${email}`);
      },
    });
    await using toolbox = await open({ results: { email: 'mask' } }, { tools: [fail] });
    expect((await toolbox.call('fail', {})).text).toBe('MCP error: no account for [email]');
    expect((await toolbox.calls.list())[0]?.error?.message).toBe('no account for [email]');
    const prompt = await toolbox.prompts.get('s', 'greet', { name: email });
    expect(JSON.stringify(prompt)).toContain('[email]');
    expect(JSON.stringify(prompt)).not.toContain(email);
    const resource = await toolbox.resources.read('s', `memo://${email}`);
    expect(JSON.stringify(resource)).not.toContain(email);
  });

  test('progress, log messages and questions are redacted', async () => {
    const seen: unknown[] = [];
    const slow = localTool({
      name: 'slow',
      async execute(_args, { onProgress }) {
        onProgress?.({ progress: 1, message: `asking ${email}` });
        return 'done';
      },
    });
    await using toolbox = await open(
      { results: { email: 'mask' } },
      {
        tools: [slow],
        host: {
          onLog: (params) => void seen.push(params),
          elicit: async (params) => {
            seen.push(params);
            return { action: 'accept', content: { answer: 'yes' } };
          },
          sample: async (params) => {
            seen.push(params);
            return { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } };
          },
        },
      },
    );
    toolbox.on('server.notified', (notice) => seen.push(notice));
    await toolbox.call('slow', {}, { onProgress: (progress) => seen.push(progress) });
    await toolbox.call('mcp_s_log', { level: 'error', text: `login of ${email}` });
    await toolbox.call('mcp_s_ask', { question: `Is ${email} right?` });
    await toolbox.call('mcp_s_sample', { prompt: `Write to ${email}` });
    await waitFor(() => JSON.stringify(seen).includes('login of'), { what: 'the log message' });
    const texts = JSON.stringify(seen);
    expect(texts).not.toContain(email);
    for (const text of ['asking [email]', 'login of [email]', 'Is [email] right?', 'Write to [email]'])
      expect(texts).toContain(text);
  });
});

describe('values in arguments', () => {
  test('a masked argument reaches neither the tool, nor approvers, nor the journal', async () => {
    const { received, tools: added } = tools();
    const asked: ApprovalRequest[] = [];
    const notices: PluginNotice[] = [];
    await using toolbox = await open(
      { arguments: { email: 'mask' } },
      {
        tools: added,
        approver: async (request) => {
          asked.push(request);
          return { kind: 'allow', arguments: { to: 'eve@example.com', subject: 'hi' } };
        },
        plugins: [definePlugin({ name: 'notes', notify: (notice) => void notices.push(notice) })],
      },
      { toolbox: { approval: { mode: 'always-ask' } } },
    );
    const records: unknown[] = [];
    toolbox.on('call.changed', (record) => records.push(record));
    const result = await toolbox.call('keep', { to: email, [email]: 1 });
    expect(result.isError).toBe(false);
    expect(asked[0]?.arguments).toMatchObject({ to: '[email]' });
    // What a person writes is redacted too.
    expect(received).toEqual([{ to: '[email]', subject: 'hi' }]);
    await waitFor(() => notices.length === 2, { what: 'the notices' });
    const journal = await toolbox.calls.list();
    expect(journal[0]?.redaction).toEqual([
      { class: 'email', rule: 'email', direction: 'arguments', action: 'mask', count: 3 },
    ]);
    expect(JSON.stringify([asked, notices, journal, records])).not.toContain(email);
    expect(JSON.stringify([notices, journal])).not.toContain('eve@');
  });

  test('a blocked argument denies the call before anything else happens', async () => {
    const { received, tools: added } = tools();
    await using toolbox = await open({ arguments: { secret: 'block' } }, { tools: added });
    expect(await toolbox.call('keep', { note: `use ${token}` })).toMatchObject({
      failure: { code: 'CALL_DENIED' },
      text: 'MCP error: The call to keep was denied: it contains what the redaction settings block: secret (github-token)',
    });
    expect(received).toEqual([]);
    const [record] = await toolbox.calls.list();
    expect(record).toMatchObject({ status: 'error', end: 'denied', arguments: {}, redaction: [{ action: 'block' }] });
    expect(JSON.stringify(record)).not.toContain(token);
  });

  test('arguments without a value arrive as they were sent, with all digits', async () => {
    const { received, tools: added } = tools();
    await using toolbox = await open({ arguments: { email: 'mask' } }, { tools: added });
    await toolbox.call('keep', { id: 9007199254740993n, text: 'no value' });
    expect(received).toEqual([{ id: 9007199254740993n, text: 'no value' }]);
    expect((await toolbox.calls.list())[0]?.redaction).toBeUndefined();
  });

  test('everything else in changed arguments is sent and recorded with all digits', async () => {
    await using toolbox = await open({ arguments: { email: 'mask' } }, {}, { servers: { s: fixture('exact') } });
    expect((await toolbox.call('mcp_s_echo', { id: 9007199254740993n, to: email })).text).toContain(
      '"id":9007199254740993,"to":"[email]"',
    );
    expect(toJsonText((await toolbox.calls.list())[0]?.arguments)).toContain('"id":9007199254740993,"to":"[email]"');
  });
});

describe('reversible masks', () => {
  const reversible = { results: { email: 'mask' }, mask: 'reversible' };

  test('the caller sees masks, and the tool gets the exact values, which nobody else sees', async () => {
    const { received, tools: added } = tools();
    const asked: ApprovalRequest[] = [];
    const judged: unknown[] = [];
    await using toolbox = await open(
      reversible,
      {
        tools: added,
        approver: async (request) => {
          asked.push(request);
          return { kind: 'allow' };
        },
        plugins: [definePlugin({ name: 'judge', review: (call) => void judged.push(call.arguments) })],
      },
      { toolbox: { approval: { ask: ['keep'] } } },
    );
    expect((await toolbox.call('find', {})).structuredContent).toEqual({
      people: [{ email: '[email-1]' }, { email: '[email-2]' }],
    });
    // The same value has the same mask.
    expect((await toolbox.call('find', {})).text).toContain('[email-1]');
    await toolbox.call('keep', { to: 'Ada <[email-1]>', copy: ['[email-2]', '[email-9]'], note: 'hi' });
    expect(received).toEqual([{ to: `Ada <${email}>`, copy: ['bob@example.com', '[email-9]'], note: 'hi' }]);
    // What judges a call sees what will be sent.
    expect(judged.at(-1)).toEqual(received[0]);
    expect(asked[0]?.arguments).toEqual({ to: 'Ada <[email-1]>', copy: ['[email-2]', '[email-9]'], note: 'hi' });
    const [record] = await toolbox.calls.list();
    expect(record).toMatchObject({
      arguments: { to: 'Ada <[email-1]>' },
      redaction: [{ class: 'email', rule: 'reversible-mask', direction: 'arguments', action: 'restore', count: 2 }],
    });
    expect(JSON.stringify([asked, await toolbox.calls.list()])).not.toContain('@example.com');
  });

  test('masks belong to their conversation or caller', async () => {
    const { received, tools: added } = tools();
    await using toolbox = await open(reversible, { tools: added });
    const caller = (id: string, conversation?: string) => ({ caller: { id, kind: 'program', conversation } as const });
    await toolbox.call('find', {}, caller('one', 'c1'));
    await toolbox.call('keep', { to: '[email-1]' }, caller('two'));
    await toolbox.call('keep', { to: '[email-1]' }, caller('one', 'c2'));
    await toolbox.call('keep', { to: '[email-1]' }, caller('one', 'c1'));
    expect(received).toEqual([{ to: '[email-1]' }, { to: '[email-1]' }, { to: email }]);
  });

  test('only tools that may have values get them, and none that the settings keep out of arguments', async () => {
    const first = tools();
    await using limited = await open({ ...reversible, restore: ['mail/*'] }, { tools: first.tools });
    await limited.call('find', {});
    await limited.call('keep', { to: '[email-1]' });
    const second = tools();
    await using strict = await open({ ...reversible, arguments: { email: 'block' } }, { tools: second.tools });
    await strict.call('find', {});
    await strict.call('keep', { to: '[email-1]' });
    expect([...first.received, ...second.received]).toEqual([{ to: '[email-1]' }, { to: '[email-1]' }]);
  });

  test('masks expire after their last use, and their numbers are never used again', async () => {
    let now = Date.parse('2026-01-01');
    const { received, tools: added } = tools();
    await using toolbox = await openToolbox({ servers: {}, redaction: { ...reversible, expires: '1h' } } as never, {
      plugins: [createRedactionPlugin({ now: () => now })],
      tools: added,
    });
    await toolbox.call('find', {});
    now += 3_000_000;
    await toolbox.call('keep', { to: '[email-1]' });
    now += 3_000_000;
    await toolbox.call('keep', { to: '[email-1]' });
    now += 4_000_000;
    await toolbox.call('keep', { to: '[email-1]' });
    expect(received).toEqual([{ to: email }, { to: email }, { to: '[email-1]' }]);
    expect((await toolbox.call('find', {})).structuredContent).toEqual({
      people: [{ email: '[email-3]' }, { email: '[email-4]' }],
    });
  });

  test('a problem with an argument that was restored does not quote the value', async () => {
    const { tools: added } = tools();
    await using toolbox = await open(reversible, { tools: added });
    await toolbox.call('find', {});
    const result = await toolbox.call('mcp_s_add', { a: '[email-1]', b: 1 });
    expect(result.failure?.code).toBe('ARGUMENTS_INVALID');
    expect(JSON.stringify([result, await toolbox.calls.list()])).not.toContain(email);
  });

  test('a policy judges what will be sent', async () => {
    const { received, tools: added } = tools();
    const rule = { id: 'inside', when: "call.tool == 'keep' && call.args.to.endsWith('@example.com')", then: 'deny' };
    await using toolbox = await open(
      reversible,
      { tools: added, plugins: [createPolicyPlugin()] },
      { policy: { rules: [rule] } },
    );
    await toolbox.call('find', {});
    expect((await toolbox.call('keep', { to: '[email-1]' })).failure?.code).toBe('CALL_DENIED');
    expect(received).toEqual([]);
  });
});

describe('the settings', () => {
  test('a configuration with a wrong class or pattern is refused with its place', async () => {
    const wrong = {
      results: { emails: 'mask' },
      patterns: { employee: '(?=x)' },
      profiles: { team: { arguments: { badge: 'mask' } } },
    };
    const refusal = await open(wrong).then(
      () => '',
      (cause: Error) => cause.message,
    );
    expect(refusal).toContain("there is no class 'emails'; did you mean 'email'?");
    expect(refusal).toContain('redaction.patterns.employee');
    expect(refusal).toContain('redaction.profiles.team.arguments.badge');
  });

  test('a configuration with redaction is refused where nothing applies it', async () => {
    await expect(openToolbox({ servers: {}, redaction: { results: { email: 'mask' } } } as never)).rejects.toThrow(
      "nothing applies 'redaction' here",
    );
  });

  test('a class of a pattern is redacted like others, and a profile has its own actions', async () => {
    const redaction = {
      results: { employee: 'mask', email: 'mask' },
      patterns: { employee: 'E-[0-9]{6}' },
      profiles: { support: { results: { email: 'off' } } },
    };
    await using toolbox = await open(redaction);
    const text = `E-123456 is ${email}`;
    expect((await toolbox.call('mcp_s_echo', { text })).text).toBe('[employee] is [email]');
    const entry = toolbox.catalog.find({ server: 's', tool: 'echo' });
    if (!entry) throw new Error('there is no tool echo');
    const result = await toolbox.start(entry, { text }, { profile: 'support' }).result;
    expect(result.text).toBe(`[employee] is ${email}`);
  });
});
