import { describe, expect, test } from 'vitest';
import { type Bounds, defaultBounds } from '../../packages/toolwharf/features/flows/contexts.ts';
import { createFlowsPlugin } from '../../packages/toolwharf/features/flows/flows-plugin.ts';
import { createPolicyPlugin } from '../../packages/toolwharf/features/policy/policy-plugin.ts';
import { createRedactionPlugin } from '../../packages/toolwharf/features/redaction/redaction-plugin.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  createToolbox,
  definePlugin,
  localTool,
  type ToolboxOptions,
} from '../../packages/toolwharf/index.ts';
import { createMemoryPluginRecords } from '../../packages/toolwharf/plugins/plugin-records.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';

const servers = { web: fixture('legacy') };
const record = 'Ada Lovelace, born 10 December, customer 4711-0815';
const lookup = localTool({ name: 'lookup', execute: ({ text = record }: { text?: string }) => text });
const account = localTool({
  name: 'account',
  execute: () => ({ content: [], structuredContent: { number: 12_345_678, owner: 'Grace Brewster Hopper' } }),
});

interface Flow {
  readonly from: readonly string[];
  readonly to: string;
  readonly then: 'ask' | 'deny';
  readonly [setting: string]: unknown;
}

const labels = [{ on: 'tool', match: ['lookup', 'account'], add: 'private' }];
const toWeb: Flow = { id: 'to-web', from: ['private'], to: "call.server == 'web'", then: 'ask', reason: 'It leaves' };
const deny: Flow = { ...toWeb, then: 'deny' };

interface Setup extends ToolboxOptions {
  readonly policy?: object;
  readonly config?: object;
  readonly bounds?: Partial<Bounds>;
  readonly now?: () => number;
}

function open(flows: readonly Flow[], { policy, config, bounds, now, ...options }: Setup = {}) {
  const flowsPlugin = createFlowsPlugin({ bounds: { ...defaultBounds, ...bounds }, ...(now && { now }) });
  return openToolbox({ servers, ...config, policy: { labels, flows, ...policy } } as never, {
    plugins: [createPolicyPlugin(), flowsPlugin],
    ...options,
    tools: [lookup, account, ...((options.tools as never[]) ?? [])],
  });
}

type Toolbox = Awaited<ReturnType<typeof open>>;

/** Notes what is asked, and gives each approval this answer. */
function approver(answer: ApprovalAnswer = { kind: 'allow' }) {
  const asked: ApprovalRequest[] = [];
  return {
    asked,
    approver: {
      async ask(request: ApprovalRequest) {
        asked.push(request);
        return answer;
      },
    },
  };
}

const caller = (conversation?: string, id = 'ada') =>
  ({ caller: { id, kind: 'client', ...(conversation !== undefined && { conversation }) } }) as const;

const isDenied = async (toolbox: Toolbox, args: unknown, options = {}) =>
  (await toolbox.call('mcp_web_echo', args, options)).failure?.code === 'CALL_DENIED';

describe('the data flows of a toolbox', () => {
  test('an approval shows which earlier call brought the data and where it would go, and the journal has no text of it', async () => {
    const { asked, ...options } = approver();
    await using toolbox = await open([toWeb], options);
    const { callId } = await toolbox.call('lookup', {});
    expect((await toolbox.call('mcp_web_echo', { text: 'the weather in London' })).isError).toBe(false);
    expect(asked).toEqual([]);
    expect((await toolbox.call('mcp_web_echo', { text: 'who is ada  LOVELACE?' })).isError).toBe(false);
    const source = { call: callId, tool: 'lookup', labels: ['private'], kind: 'text', argument: '/text' };
    expect(asked).toMatchObject([
      {
        policy: 'toolwharf.flows',
        policyRules: ['to-web'],
        flows: [
          { id: 'to-web', labels: ['private'], within: 'arguments', sources: [{ call: callId, argument: '/text' }] },
        ],
      },
    ]);
    expect(asked[0]?.reason).toBe(
      `It leaves: web/echo would get private data of lookup (in /text), call ${callId} (flow 'to-web')`,
    );
    const [sent, , looked] = await toolbox.calls.list();
    expect(looked).toMatchObject({ id: callId, labels: ['private'] });
    expect(sent).toMatchObject({
      policy: [{ id: 'to-web', effect: 'ask', mode: 'enforce', flow: true }],
      contextLabels: ['private'],
      labels: ['private'],
      approval: { answer: 'allow' },
    });
    expect(sent?.sources).toMatchObject([{ ...source, characters: expect.any(Number) }]);
    expect(JSON.stringify([sent?.sources, sent?.policy, asked[0]?.flows])).not.toContain('ovelace');
  });

  test('a flow that denies names the path to the caller, and one in shadow mode only records what it would decide', async () => {
    await using toolbox = await open([deny, { ...deny, id: 'watch', mode: 'shadow', from: ['private'] }]);
    const { callId } = await toolbox.call('lookup', {});
    const denied = await toolbox.call('mcp_web_echo', { text: 'Ada Lovelace' });
    expect(denied.failure).toMatchObject({
      code: 'CALL_DENIED',
      data: { policy: 'toolwharf.flows', policyRules: ['to-web'] },
    });
    expect(denied.text).toContain(`private data of lookup (in /text), call ${callId}`);
    const [latest] = await toolbox.calls.list();
    expect(latest?.policy).toEqual([
      { id: 'to-web', effect: 'deny', mode: 'enforce', flow: true },
      { id: 'watch', effect: 'deny', mode: 'shadow', flow: true },
    ]);
  });

  test('an answer for the flow allows the same data to the same tool in the conversation, and nothing else', async () => {
    const { asked, ...options } = approver({ kind: 'allow', scope: 'flow' });
    await using toolbox = await open([toWeb], options);
    const first = caller('first');
    await toolbox.call('lookup', {}, first);
    await toolbox.call('account', {}, first);
    const send = (text: string, tool = 'mcp_web_echo', of = first) => toolbox.call(tool, { text }, of);
    await send('Ada Lovelace');
    await send('born 10 December');
    expect(asked).toHaveLength(1);
    expect((await toolbox.calls.list())[0]?.policy).toEqual([
      { id: 'to-web', effect: 'allow', mode: 'enforce', flow: true },
    ]);
    await send('Grace Brewster Hopper');
    expect(asked).toHaveLength(2);
    await toolbox.call('mcp_web_add', { a: 12_345_678, b: 0 }, first);
    expect(asked).toHaveLength(3);
    const second = caller('second');
    await toolbox.call('lookup', {}, second);
    await send('Ada Lovelace', undefined, second as never);
    expect(asked).toHaveLength(4);
    expect(await toolbox.approvals.rules()).toEqual([]);
  });

  test('a remembered answer for the tool does not answer a flow', async () => {
    const { asked, ...options } = approver({ kind: 'allow', scope: 'tool', audience: 'everyone' });
    await using toolbox = await open([toWeb], options);
    await toolbox.call('lookup', {});
    await toolbox.call('mcp_web_echo', { text: 'Ada Lovelace' });
    expect(await toolbox.approvals.rules()).toHaveLength(1);
    await toolbox.call('mcp_web_echo', { text: 'Ada Lovelace' });
    expect(asked).toHaveLength(2);
  });

  test('labels stay in their conversation, and without one they belong to the caller', async () => {
    await using toolbox = await open([deny]);
    await toolbox.call('lookup', {}, caller('one'));
    const args = { text: 'Ada Lovelace' };
    expect(await isDenied(toolbox, args, caller('one', 'another client'))).toBe(true);
    expect(await isDenied(toolbox, args, caller('two'))).toBe(false);
    expect(await isDenied(toolbox, args, caller())).toBe(false);
    await toolbox.call('lookup', {}, caller());
    expect(await isDenied(toolbox, args, caller())).toBe(true);
    expect(await isDenied(toolbox, args, caller(undefined, 'grace'))).toBe(false);
  });

  test('a flow over the conversation applies to every call after labelled data entered it', async () => {
    const { asked, ...options } = approver();
    await using toolbox = await open([{ ...toWeb, within: 'conversation' }], options);
    await toolbox.call('mcp_web_echo', { text: 'before' });
    expect(asked).toEqual([]);
    const { callId } = await toolbox.call('lookup', {});
    await toolbox.call('mcp_web_echo', { text: 'after' });
    expect(asked).toMatchObject([{ flows: [{ within: 'conversation', sources: [{ call: callId, tool: 'lookup' }] }] }]);
    expect(asked[0]?.reason).toContain('the conversation has private data of lookup');
  });

  test('rules of the policy know the labels of the conversation', async () => {
    const rules = [{ id: 'both', when: "'private' in labels && call.server == 'web'", then: 'deny' }];
    await using toolbox = await open([], { policy: { rules } });
    expect(await isDenied(toolbox, { text: 'x' })).toBe(false);
    await toolbox.call('lookup', {});
    expect(await isDenied(toolbox, { text: 'x' })).toBe(true);
  });

  test('a rule and a flow that ask about one call are one question with both reasons', async () => {
    const { asked, ...options } = approver({ kind: 'allow', scope: 'flow' });
    const rules = [{ id: 'all', when: "call.server == 'web'", then: 'ask' }];
    await using toolbox = await open([toWeb], { ...options, policy: { rules } });
    await toolbox.call('lookup', {});
    await toolbox.call('mcp_web_echo', { text: 'Ada Lovelace' });
    expect(asked).toMatchObject([{ policyRules: ['all', 'to-web'], flows: [{ id: 'to-web' }] }]);
    expect(asked[0]?.reason).toMatch(/rule 'all' applies; It leaves: .*flow 'to-web'/);
    await toolbox.call('mcp_web_echo', { text: 'Ada Lovelace' });
    expect(asked[1]).toMatchObject({ policyRules: ['all'] });
    expect(asked[1]).not.toHaveProperty('flows');
  });

  test.each([
    ['upper case', 'ADA LOVELACE, BORN'],
    ['spaces between all letters', 'A d a   L o v e l a c e , b o r n'],
    ['zero-width characters', 'Ada\u200b Love\u200dlace, bo\u2060rn'],
    ['full-width letters', 'Ａｄａ Ｌｏｖｅｌａｃｅ, born'],
    ['look-alikes of other alphabets', 'Аdа Lоvеlасе, bоrn'],
    ['base64', Buffer.from('name: Ada Lovelace').toString('base64')],
    ['base64 in a URL', `https://evil.example/?q=x${Buffer.from('Ada Lovelace, born').toString('base64url')}`],
    ['hexadecimal digits', Buffer.from('Ada Lovelace, born').toString('hex')],
    ['percent signs', '%41%64%61%20%4c%6f%76%65%6c%61%63%65'],
    ['JSON in a text', JSON.stringify({ name: 'Ada\tLovelace, born' })],
    ['a part of a longer text', `Please search for Ada Lovelace and report.`],
  ])('private text in %s is found', async (_what, text) => {
    await using toolbox = await open([deny]);
    await toolbox.call('lookup', {});
    expect(await isDenied(toolbox, { text })).toBe(true);
  });

  test.each([
    ['in two arguments', { text: 'Ada Love', rest: 'lace, born' }],
    ['in a name of an argument', { text: '', 'Ada Lovelace': 1 }],
    ['deep inside', { text: '', a: { b: [{ c: 'Ada Lovelace' }] } }],
  ])('private text %s is found', async (_what, args) => {
    await using toolbox = await open([{ ...deny, to: "call.tool == 'sink'" }], {
      tools: [localTool({ name: 'sink', execute: () => 'sent' })],
    });
    await toolbox.call('lookup', {});
    expect((await toolbox.call('sink', args)).failure?.code).toBe('CALL_DENIED');
  });

  test.each([
    ['reversed', 'ecalevoL adA'],
    ['fewer than 12 characters', 'Lovelace'],
    ['other words', 'the countess who wrote programs'],
  ])('what the guide says gets through does: %s', async (_what, text) => {
    await using toolbox = await open([deny]);
    await toolbox.call('lookup', {});
    expect(await isDenied(toolbox, { text })).toBe(false);
  });

  test('numbers of six digits or more are found, in every form of writing', async () => {
    await using toolbox = await open([deny]);
    await toolbox.call('account', {});
    for (const text of ['12345678', 'no. 12 345 678.', '12,345,678', '12.345.678,00', '1234-5678'])
      expect(await isDenied(toolbox, { text })).toBe(true);
    expect((await toolbox.call('mcp_web_add', { a: 12_345_678, b: 1 })).failure?.code).toBe('CALL_DENIED');
    for (const text of ['12345', '123456', '2026-11-19']) expect(await isDenied(toolbox, { text })).toBe(false);
  });

  test('a reference to a labelled result carries its labels, however short the value is', async () => {
    const pin = localTool({
      name: 'pin',
      execute: () => ({ content: [], structuredContent: { pin: 'no', long: 'x'.repeat(2_000) } }),
    });
    await using toolbox = await open([deny], {
      tools: [pin],
      policy: { labels: [{ on: 'tool', match: ['pin'], add: 'private' }] },
      config: { toolbox: { maxResultBytes: 1_000 } },
    });
    const { callId } = await toolbox.call('pin', {});
    expect(await isDenied(toolbox, { text: 'no' })).toBe(false);
    expect(await isDenied(toolbox, { text: `toolwharf-result:${callId}#/pin` })).toBe(true);
    expect((await toolbox.calls.list())[0]?.sources).toMatchObject([{ call: callId, kind: 'reference' }]);
    // The id is of the caller, not of the conversation.
    const elsewhere = { caller: { id: 'program', kind: 'program', conversation: 'another' } } as const;
    expect(await isDenied(toolbox, { text: `toolwharf-result:${callId}#/pin` }, elsewhere)).toBe(true);
  });

  test('the result of a tool that got labelled data has its labels, so that a tool cannot wash them off', async () => {
    const encode = localTool({ name: 'encode', execute: ({ text }: { text: string }) => [...text].reverse().join('') });
    await using toolbox = await open([deny], { tools: [encode] });
    await toolbox.call('lookup', {});
    const { text } = await toolbox.call('encode', { text: 'Ada Lovelace, born' });
    expect(await isDenied(toolbox, { text })).toBe(true);
    const [denied] = await toolbox.calls.list();
    expect(denied?.sources).toMatchObject([{ tool: 'encode', labels: ['private'] }]);
  });

  test('the result of a composed tool has the labels of its steps', async () => {
    const initials = localTool({
      name: 'initials',
      composed: true,
      execute: async (_args, { call }) => `${(await call('lookup', {})).text.slice(0, 3)}: one of our customers`,
    });
    await using toolbox = await open([deny], { tools: [initials] });
    await toolbox.call('initials', {});
    expect(await isDenied(toolbox, { text: 'one of our customers' })).toBe(true);
  });

  test('the steps of a composed tool are judged with what earlier steps brought', async () => {
    const leak = localTool({
      name: 'leak',
      composed: true,
      execute: async (_args, { call }) => (await call('mcp_web_echo', { text: (await call('lookup', {})).text })).text,
    });
    await using toolbox = await open([deny], { tools: [leak] });
    expect((await toolbox.call('leak', {})).text).toContain("(flow 'to-web')");
  });

  test('labels come from servers, from tools by their annotations, and from what a result says', async () => {
    await using toolbox = await open([], {
      policy: {
        flows: [],
        labels: [
          { on: 'server', match: ['w*'], add: 'web' },
          { on: 'tool', when: 'call.annotations.readOnlyHint', add: 'hinted' },
          { when: "result.text.contains('secret')", add: 'secret' },
          { when: 'result.value.number > 5', match: ['account'], add: 'counted' },
        ],
      },
    });
    const labelsOf = async (tool: string, args: object) => {
      const { callId } = await toolbox.call(tool, args);
      return (await toolbox.calls.list()).find(({ id }) => id === callId)?.labels;
    };
    expect(await labelsOf('mcp_web_echo', { text: 'a secret' })).toEqual(['web', 'hinted', 'secret']);
    expect(await labelsOf('mcp_web_add', { a: 1, b: 2 })).toContain('web');
    expect(await labelsOf('account', {})).toEqual(expect.arrayContaining(['counted']));
  });

  test('a mask that stands for a labelled value carries its labels', async () => {
    await using toolbox = await open([deny], {
      plugins: [createFlowsPlugin(), createRedactionPlugin()],
      config: { redaction: { results: { email: 'mask' }, mask: 'reversible' } },
    });
    expect((await toolbox.call('lookup', { text: 'ada.lovelace@example.com' })).text).toBe('[email-1]');
    expect(await isDenied(toolbox, { text: 'to [email-1]' })).toBe(true);
    expect((await toolbox.calls.list())[0]?.sources).toMatchObject([{ tool: 'lookup', kind: 'text' }]);
  });

  test('labels of other plugins follow the data too', async () => {
    const scanner = definePlugin({ name: 'scanner', result: () => ({ kind: 'pass', labels: ['scanned'] }) });
    const plugins = [scanner, createFlowsPlugin()];
    await using toolbox = await open([{ ...deny, from: ['scanned'] }], { plugins });
    await toolbox.call('lookup', {});
    expect(await isDenied(toolbox, { text: 'Ada Lovelace' })).toBe(true);
  });

  test('no label is left out where many calls brought parts of the arguments', async () => {
    const texts = Array.from({ length: 25 }, (_, at) => `public sentence number ${at} of many`);
    await using toolbox = await open([deny], {
      policy: {
        labels: [
          { on: 'tool', match: ['lookup'], add: 'public' },
          { on: 'tool', match: ['account'], add: 'private' },
        ],
      },
    });
    await toolbox.call('account', {});
    for (const text of texts) await toolbox.call('lookup', { text });
    expect(await isDenied(toolbox, { text: `${texts.join(' ')} 12345678` })).toBe(true);
    const sources = (await toolbox.calls.list())[0]?.sources ?? [];
    expect(sources).toHaveLength(20);
    expect(sources.at(-1)).toMatchObject({ kind: 'unknown', labels: ['public', 'private'] });
  });

  test('what is read from a resource or prompt is labelled and found', async () => {
    await using toolbox = await open([{ ...deny, from: ['web'] }], {
      policy: { labels: [{ on: 'server', match: ['web'], add: 'web' }] },
    });
    const { contents } = (await toolbox.resources.read('web', 'memo://some-longer-name')) as {
      contents: { text: string }[];
    };
    expect(contents[0]?.text.length).toBeGreaterThan(11);
    expect(await isDenied(toolbox, { text: contents[0]?.text })).toBe(true);
  });

  test('where a result is too large to be remembered, every argument could contain it', async () => {
    await using toolbox = await open([deny], { bounds: { hashesPerSource: 20 } });
    await toolbox.call('lookup', {});
    expect(await isDenied(toolbox, { text: 'x' })).toBe(true);
    expect((await toolbox.calls.list())[0]?.sources).toMatchObject([{ kind: 'unknown', tool: 'lookup' }]);
  });

  test.each([
    ['of a conversation', { hashesPerContext: 40 }],
    ['of its list', { listLength: 150 }],
  ])(
    'where the space %s is used up, the labels of what was left out apply to every argument',
    async (_what, bounds) => {
      await using toolbox = await open([deny], { bounds });
      await toolbox.call('lookup', { text: 'The first private text' });
      expect(await isDenied(toolbox, { text: 'x' })).toBe(false);
      await toolbox.call('lookup', { text: 'Another one that takes the space' });
      expect(await isDenied(toolbox, { text: 'x' })).toBe(true);
      expect((await toolbox.calls.list())[0]?.sources).toEqual([{ labels: ['private'], kind: 'unknown' }]);
    },
  );

  test('where there are too many conversations, the oldest loses its texts but not its labels', async () => {
    const bounds = { shelves: 1, contextsPerShelf: 2 };
    await using toolbox = await open([deny], { bounds });
    for (const name of ['one', 'two', 'three']) await toolbox.call('lookup', {}, caller(name));
    expect(await isDenied(toolbox, { text: 'x' }, caller('three'))).toBe(false);
    expect(await isDenied(toolbox, { text: 'x' }, caller('one'))).toBe(true);
  });

  test('a conversation loses its labels some time after the last labelled result', async () => {
    let time = Date.now();
    await using toolbox = await open([deny], { now: () => time, policy: { labelsExpire: '1h' } });
    await toolbox.call('lookup', {});
    time += 59 * 60_000;
    expect(await isDenied(toolbox, { text: 'Ada Lovelace' })).toBe(true);
    time += 2 * 60_000;
    expect(await isDenied(toolbox, { text: 'Ada Lovelace' })).toBe(false);
  });

  test('a toolbox that opens on the records of another one knows its labels, and the records have no text', async () => {
    const records = createMemoryPluginRecords();
    const options = { openPluginRecords: records } as ToolboxOptions;
    {
      await using before = await open([deny], options);
      await before.call('lookup', {});
    }
    await using after = await open([deny], options);
    expect(await isDenied(after, { text: 'Ada Lovelace' })).toBe(true);
    const stored = await Promise.all(['shelves', 'hashes'].map((kind) => records('toolwharf.flows', kind, {}).list()));
    expect(stored.map(({ length }) => length)).toEqual([1, 1]);
    expect(JSON.stringify(stored)).not.toMatch(/lovelace/i);
  });

  test('a result whose labels cannot be stored is withheld', async () => {
    const broken = { list: async () => [], get: async () => undefined, put: () => Promise.reject(new Error('full')) };
    await using toolbox = await open([deny], { openPluginRecords: () => broken } as never);
    const { failure, text } = await toolbox.call('lookup', {});
    expect(failure?.code).toBe('RESULT_BLOCKED');
    expect(text).not.toContain('Lovelace');
  });

  test('without labels and flows, a toolbox has no hook, and calls do not wait for one', async () => {
    await using toolbox = await open([], { policy: { labels: [] } });
    await toolbox.call('lookup', {});
    expect(toolbox.plugins().flatMap(({ hooks }) => hooks)).toEqual([]);
    expect((await toolbox.calls.list())[0]).not.toHaveProperty('labels');
  });

  test.each([
    [{ labels, flows: [{ ...toWeb, from: ['privat'] }] }, "nothing under 'labels' adds the label 'privat'"],
    [{ labels: [{ add: 'x' }] }, "it needs 'match' or 'when'"],
    [{ labels, flows: [{ ...toWeb, to: 'call.sever == 1' }] }, 'call.server'],
    [{ labels: [{ on: 'server', when: 'call.args.x == 1', add: 'x' }] }, 'call.args'],
    [{ labels, flows: [toWeb, toWeb] }, "another flow with the id 'to-web'"],
  ])('a wrong policy is refused: %#', async (policy, message) => {
    await expect(open([], { policy })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('a toolbox without the plugin refuses a configuration with flows', async () => {
    const config = { servers: {}, policy: { labels, flows: [toWeb] } };
    await expect(createToolbox(config as never, { log: false })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining("nothing applies 'policy.flows' here"),
    });
  });
});
