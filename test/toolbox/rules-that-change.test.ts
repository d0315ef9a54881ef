import { expect, test } from 'vitest';
import { createFlowsPlugin } from '../../packages/toolwharf/features/flows/flows-plugin.ts';
import { createPolicyPlugin } from '../../packages/toolwharf/features/policy/policy-plugin.ts';
import { createRedactionPlugin } from '../../packages/toolwharf/features/redaction/redaction-plugin.ts';
import { localTool, type ToolboxOptions } from '../../packages/toolwharf/index.ts';
import { openToolbox } from '../support/toolbox.ts';

const email = 'ada.lovelace@example.com';
const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

function openWith(policy: object, config: object = {}, options: ToolboxOptions = {}) {
  const received: unknown[] = [];
  const send = localTool({
    name: 'send',
    execute(args: object) {
      received.push(args);
      return `sent to ${JSON.stringify(args)}`;
    },
  });
  const find = localTool({ name: 'find', execute: () => `Ada, ${email}, ${token}` });
  const opened = openToolbox({ servers: {}, policy, ...config } as never, {
    ...options,
    tools: [send, find],
    plugins: [createRedactionPlugin(), createPolicyPlugin(), createFlowsPlugin()],
  });
  return { received, opened };
}

test('a rule redacts values of its classes in the arguments and results of the calls to which it applies', async () => {
  const rules = [
    { id: 'no-mail', when: "call.tool == 'send'", then: 'redact', classes: ['email'] },
    { id: 'all', when: "call.tool == 'find'", then: 'redact' },
  ];
  const { received, opened } = openWith({ rules });
  await using toolbox = await opened;
  const { text } = await toolbox.call('send', { to: email, key: token });
  expect(received).toEqual([{ to: '[email]', key: token }]);
  expect(text).toContain('[email]');
  expect((await toolbox.call('find', {})).text).toBe('Ada, [email], [secret]');
  const [find, send] = await toolbox.calls.list();
  expect(send).toMatchObject({
    arguments: { to: '[email]' },
    policy: [{ id: 'no-mail', effect: 'redact', mode: 'enforce' }],
    redaction: [{ class: 'email', direction: 'arguments', action: 'mask', count: 1 }],
  });
  expect(JSON.stringify([find, send])).not.toContain(email);
});

test('a rule that redacts in shadow mode changes nothing, and its receipt counts', async () => {
  const { received, opened } = openWith({ rules: [{ id: 'r', when: 'true', then: 'redact', mode: 'shadow' }] });
  await using toolbox = await opened;
  await toolbox.call('send', { to: email });
  expect(received).toEqual([{ to: email }]);
  expect((await toolbox.calls.list())[0]).toMatchObject({
    policy: [{ id: 'r', effect: 'redact', mode: 'shadow' }],
    redaction: [
      { class: 'email', direction: 'arguments', action: 'detect', count: 1 },
      { class: 'email', direction: 'results', action: 'detect', count: 1 },
    ],
  });
});

test('a value that comes back in the place of a reversible mask is redacted too', async () => {
  const rules = [{ id: 'r', when: "call.tool == 'send'", then: 'redact' }];
  const redaction = { results: { email: 'mask' }, mask: 'reversible' };
  const { received, opened } = openWith({ rules }, { redaction });
  await using toolbox = await opened;
  expect((await toolbox.call('find', {})).text).toContain('[email-1]');
  await toolbox.call('send', { to: '[email-1]' });
  expect(received).toEqual([{ to: '[email]' }]);
});

test('a rule that redacts and has no value asks and redacts, unless it allows the call', async () => {
  const when = 'call.annotations.readOnlyHint';
  for (const [onFailure, to, questions] of [
    ['ask', '[email]', 1],
    ['allow', email, 0],
  ] as const) {
    const asked: string[] = [];
    const approver = ({ reason }: { reason: string }) => {
      asked.push(reason);
      return { kind: 'allow' } as const;
    };
    const { received, opened } = openWith({ rules: [{ id: 'r', when, then: 'redact', onFailure }] }, {}, { approver });
    await using toolbox = await opened;
    await toolbox.call('send', { to: email });
    expect(received).toEqual([{ to }]);
    expect(asked).toHaveLength(questions);
  }
});

test('a rule labels a call and its result, and the label follows the data', async () => {
  const rules = [
    { id: 'customer', when: "call.tool == 'find'", then: 'label', add: 'private' },
    { id: 'shadow', when: "call.tool == 'find'", then: 'label', add: 'secret', mode: 'shadow' },
  ];
  const flows = [{ id: 'out', from: ['private', 'secret'], to: "call.tool == 'send'", then: 'deny' }];
  const { received, opened } = openWith({ rules, flows });
  await using toolbox = await opened;
  await toolbox.call('find', {});
  const [found] = await toolbox.calls.list();
  expect(found).toMatchObject({
    labels: ['private'],
    policy: [
      { id: 'customer', effect: 'label', mode: 'enforce' },
      { id: 'shadow', effect: 'label', mode: 'shadow' },
    ],
  });
  expect((await toolbox.call('send', { to: 'Ada, ada.lovelace@example' })).isError).toBe(true);
  expect((await toolbox.call('send', { to: 'someone else' })).isError).toBe(false);
  expect(received).toHaveLength(1);
});

test('effects need what belongs to them, and nothing else', async () => {
  const problemOf = (rule: object) =>
    openWith({ rules: [{ id: 'r', when: 'true', ...rule }] }).opened.catch((cause: Error) => cause.message);
  expect(await problemOf({ then: 'label' })).toContain("needs the label as 'add'");
  expect(await problemOf({ then: 'ask', add: 'private' })).toContain("needs the label as 'add'");
  expect(await problemOf({ then: 'ask', classes: ['email'] })).toContain("only a rule with 'then: redact' has classes");
  expect(await problemOf({ then: 'redact', classes: ['emial'] })).toContain('allowed: secret, email');
  expect(await problemOf({ then: 'redact', when: "call.args.to == 'x'" })).toContain('a rule that redacts knows only');
});
