import { writeFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../packages/toolwharf/config/load-config.ts';
import { createPolicyPlugin } from '../../packages/toolwharf/features/policy/policy-plugin.ts';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  createToolbox,
  localTool,
  type ToolboxOptions,
} from '../../packages/toolwharf/index.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());

interface Rule {
  readonly id: string;
  readonly when: string;
  readonly then: 'deny' | 'ask' | 'hide';
  readonly [setting: string]: unknown;
}

const servers = { s: fixture('legacy') };
const configOf = (rules: readonly Rule[], config: object = {}) => ({ servers, policy: { rules }, ...config });
const open = (rules: readonly Rule[], options: ToolboxOptions = {}, config: object = {}) =>
  openToolbox(configOf(rules, config) as never, { plugins: [createPolicyPlugin()], ...options });

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

const evil: Rule = {
  ...{ id: 'no-evil', when: "call.tool == 'echo' && call.args.text.contains('evil')", then: 'deny' },
  reason: 'Nothing evil',
};

describe('the policy of a toolbox', () => {
  test('a call to which a rule applies is denied with its reason, and the journal names the rule without values', async () => {
    await using toolbox = await open([evil, { id: 'watch', when: 'true', then: 'ask', mode: 'shadow' }]);
    expect((await toolbox.call('mcp_s_echo', { text: 'good' })).text).toBe('good');
    expect(await toolbox.call('mcp_s_echo', { text: 'evil' })).toMatchObject({
      text: "MCP error: The call to mcp_s_echo was denied: Nothing evil (rule 'no-evil')",
      failure: { code: 'CALL_DENIED', data: { policy: 'toolwharf.policy', policyRules: ['no-evil'] } },
    });
    const [denied, allowed] = await toolbox.calls.list();
    const shadow = { id: 'watch', effect: 'ask', mode: 'shadow' };
    expect(denied?.policy).toEqual([{ id: 'no-evil', effect: 'deny', mode: 'enforce' }, shadow]);
    expect(allowed?.policy).toEqual([shadow]);
  });

  test('a rule that asks names itself in the approval, and the call runs once a person allows it', async () => {
    const { asked, ...options } = approver();
    const rule = { id: 'ask', when: "call.args.text == 'x'", then: 'ask', reason: 'It is x' } as const;
    await using toolbox = await open([rule], options);
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
    expect(asked).toMatchObject([
      { reason: "It is x (rule 'ask')", policy: 'toolwharf.policy', policyRules: ['ask'], arguments: { text: 'x' } },
    ]);
    expect((await toolbox.calls.list())[0]).toMatchObject({
      policy: [{ id: 'ask', effect: 'ask', mode: 'enforce' }],
      approval: { answer: 'allow' },
    });
  });

  test('what a person edited is judged again, and a rule that denies it wins', async () => {
    const edited = approver({ kind: 'allow', arguments: { text: 'evil' } });
    await using toolbox = await open([evil, { id: 'ask', when: 'true', then: 'ask' }], edited);
    expect((await toolbox.call('mcp_s_echo', { text: 'good' })).failure?.code).toBe('CALL_DENIED');
  });

  test('a policy never allows what the configuration denies or asks about', async () => {
    const rule = { id: 'r', when: "call.args.missing == 'x'", then: 'deny', onFailure: 'allow' } as const;
    const settings = { toolbox: { approval: { deny: ['mcp_s_echo'], ask: ['mcp_s_add'] } } };
    const { asked, ...options } = approver();
    await using toolbox = await open([rule], options, settings);
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).failure?.code).toBe('CALL_DENIED');
    expect((await toolbox.call('mcp_s_add', { a: 1, b: 2 })).isError).toBe(false);
    expect(asked[0]?.policyRules).toBeUndefined();
    const [record] = await toolbox.calls.list();
    expect(record?.policy).toEqual([{ id: 'r', effect: 'allow', mode: 'enforce', failed: true }]);
  });

  test('the steps of a composed tool are judged, and know their parent', async () => {
    const both = localTool({
      name: 'both',
      composed: true,
      execute: async (_args, { call }) => (await call('mcp_s_echo', { text: 'step' })).text,
    });
    const rule = { id: 'r', when: "has(call.parent.tool) && call.parent.tool == 'both'", then: 'deny' } as const;
    await using toolbox = await open([rule], { tools: [both] });
    expect((await toolbox.call('both', {})).text).toContain("the rule 'r' applies");
    expect((await toolbox.call('mcp_s_echo', { text: 'alone' })).text).toBe('alone');
  });

  test('a read of a resource or prompt is judged like a call', async () => {
    const rules: Rule[] = [
      { id: 'resource', when: "call.tool == 'resources/read' && call.args.uri.endsWith('secret')", then: 'deny' },
      { id: 'prompt', when: "call.tool == 'prompts/get' && call.args.name == 'review'", then: 'deny' },
      { id: 'hidden', when: 'true', then: 'hide', profiles: ['other'] },
    ];
    await using toolbox = await open(rules);
    const read = (uri: string) => toolbox.resources.read('s', uri);
    await expect(read('file:///secret')).rejects.toMatchObject({ code: 'CALL_DENIED' });
    await expect(read('file:///other')).rejects.not.toMatchObject({ code: 'CALL_DENIED' });
    await expect(toolbox.prompts.get('s', 'review', {})).rejects.toMatchObject({ code: 'CALL_DENIED' });
  });

  test('a rule that hides a tool takes it out of the list of its profiles, and nobody there can call it', async () => {
    const rules: Rule[] = [
      { id: 'hide', when: "call.tool == 'fail'", then: 'hide' },
      { id: 'team', when: "call.annotations.readOnlyHint != true && profile == 'team'", then: 'hide' },
      { id: 'shadow', when: "call.tool == 'add'", then: 'hide', mode: 'shadow' },
    ];
    await using toolbox = await open(rules);
    const names = (profile?: string) => toolbox.toolsOf(profile).map(({ originalName }) => originalName);
    expect(names()).toContain('echo');
    expect(names()).not.toContain('fail');
    expect(names('team')).toEqual(['echo']);
    expect((await toolbox.call('mcp_s_fail', {})).failure?.code).toBe('TOOL_NAME_INVALID');
    expect((await toolbox.call('mcp_s_add', { a: 1, b: 2 })).isError).toBe(false);
    expect((await toolbox.calls.list())[0]?.policy).toEqual([{ id: 'shadow', effect: 'hide', mode: 'shadow' }]);
  });

  test('without rules, a toolbox has no hook, and calls do not wait for one', async () => {
    await using toolbox = await open([]);
    await toolbox.call('mcp_s_echo', { text: 'x' });
    expect(toolbox.plugins().flatMap(({ parts, hooks }) => [...parts, ...hooks])).toEqual([]);
    const [record] = await toolbox.calls.list();
    expect(record).not.toHaveProperty('policy');
  });

  test('a toolbox without the plugin refuses a configuration with rules', async () => {
    await expect(createToolbox(configOf([evil]) as never, { log: false })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining("nothing applies 'policy' here"),
    });
  });

  test('the rules work beside the servers of a file of another program', async () => {
    const client = { mcpServers: servers, policy: { rules: [evil] } };
    await using toolbox = await openToolbox(client as never, { plugins: [createPolicyPlugin()] });
    expect((await toolbox.call('mcp_s_echo', { text: 'evil' })).failure?.code).toBe('CALL_DENIED');
    await expect(loadConfig({ mcpServers: servers, policy: { rulez: [evil] } } as never)).rejects.toMatchObject({
      message: expect.stringContaining("did you mean 'rules'?"),
    });
  });
});

describe('a policy that does not compile', () => {
  const start = async (yaml: string) => {
    const file = directory.file('broken.yaml');
    await writeFile(file, yaml);
    const opening = openToolbox(file, { plugins: [createPolicyPlugin()] });
    return opening.then(
      () => 'no error',
      ({ message }) => String(message).replace(file, 'FILE').replaceAll(`${file}:`, ''),
    );
  };
  const header = 'servers: {}\npolicy:\n  rules:\n    - id: a\n      then: deny\n';

  test.each([
    ['plain', "      when: true && cal.server == 'x'\n", '6:21'],
    ['in double quotes', '      when: "true && cal.server == \'x\'"\n', '6:22'],
    ['in single quotes', "      when: 'true && cal.server == ''x'''\n", '6:22'],
    ['in single quotes after an escape', "      when: '''a'' == ''a'' && cal.server == ''x'''\n", '6:32'],
    ['in a block', "      when: |\n        true &&\n          cal.server == 'x'\n", '8:11'],
    ['folded', "      when: >-\n        true\n        && cal.server == 'x'\n", '8:12'],
    ['on several lines', "      when: true\n        && cal.server == 'x'\n", '7:12'],
  ])('its condition %s is reported with the line and column of the unknown variable', async (_, when, position) => {
    expect(await start(header + when)).toContain(
      `${position}  policy.rules[0].when  unknown variable cal; did you mean call?`,
    );
  });

  test('every problem of the file is reported at once', async () => {
    const message = await start(
      `${header}      when: call.tool = 'x'\n    - { id: a, then: hide, when: call.args.x == 1 }\n    - { id: c, then: alow, when: 'true' }\n`,
    );
    expect(message).toContain('found "alow"; allowed: deny, ask, hide');
    const others = await start(
      `${header}      when: call.tool = 'x'\n    - { id: a, then: hide, when: call.args.x == 1 }\n`,
    );
    expect(others).toContain('6:23  policy.rules[0].when  unexpected character "="');
    expect(others).toContain("7:13  policy.rules[1].id  there is another rule with the id 'a', at index 0");
    expect(others).toContain('7:39  policy.rules[1].when  a rule that hides tools knows only call.server');
  });
});

describe('a policy that changes while the toolbox runs', () => {
  const write = (file: string, rules: readonly Rule[], config: object = {}) =>
    writeFile(file, JSON.stringify(configOf(rules, config)));

  test('a reload uses the new rules, and one that does not compile is refused and changes nothing', async () => {
    const file = directory.file('changing.json');
    await write(file, [evil]);
    await using toolbox = await openToolbox(file, { plugins: [createPolicyPlugin()], watch: true });
    const code = async (text: string) => (await toolbox.call('mcp_s_echo', { text })).failure?.code;
    expect(await code('evil')).toBe('CALL_DENIED');
    const refused = new Promise<Error>((resolve) => void toolbox.on('config.refused', ({ error }) => resolve(error)));
    await write(file, [
      { ...evil, when: 'nonsense' },
      { id: 'b', when: "call.args.text == 'bad'", then: 'deny' },
    ]);
    expect((await refused).message).toContain('unknown variable nonsense');
    expect(await code('evil')).toBe('CALL_DENIED');
    expect(await code('bad')).toBeUndefined();
    const applied = new Promise<unknown>((resolve) => void toolbox.on('config.applied', resolve));
    await write(file, [{ ...evil, when: "call.args.text == 'bad'" }]);
    await applied;
    expect(await code('evil')).toBeUndefined();
    expect(await code('bad')).toBe('CALL_DENIED');
    const without = new Promise<unknown>((resolve) => void toolbox.on('config.applied', resolve));
    await writeFile(file, JSON.stringify({ servers }));
    await without;
    expect(await code('bad')).toBeUndefined();
    expect(toolbox.plugins()).toMatchObject([{ parts: [] }]);
  });

  test('a call that waits for approval while a rule comes that denies or hides it is denied after the approval', async () => {
    for (const then of ['deny', 'hide'] as const) {
      const file = directory.file(`waiting-${then}.json`);
      await write(file, [{ id: 'ask', when: 'true', then: 'ask' }]);
      const answers: ((answer: ApprovalAnswer) => void)[] = [];
      const ask = () => new Promise<ApprovalAnswer>((resolve) => void answers.push(resolve));
      await using toolbox = await openToolbox(file, {
        ...{ plugins: [createPolicyPlugin()], watch: true, approver: { ask } },
      });
      const call = toolbox.start('mcp_s_echo', { text: 'x' });
      await waitFor(() => answers.length > 0, { what: 'the approval' });
      const applied = new Promise<unknown>((resolve) => void toolbox.on('config.applied', resolve));
      await write(file, [{ id: 'now', when: "call.tool == 'echo'", then }]);
      await applied;
      answers[0]?.({ kind: 'allow' });
      expect((await call.result).isError, then).toBe(true);
      expect((await call.result).failure?.code, then).toMatch(/^(CALL_DENIED|TOOL_NAME_INVALID)$/);
      expect((await toolbox.calls.list())[0]?.startedAt).toBeUndefined();
    }
  });
});
