import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import type { ApprovalRequest } from '../../packages/toolwharf/index.ts';
import { fixture } from '../support/fixtures.ts';
import { openJudged } from '../support/judged-toolbox.ts';
import { openToolbox } from '../support/toolbox.ts';

describe('a reference in the arguments', () => {
  const mail = { answer: 'allow', matching: { to: '*@example.com' } } as const;

  test('a reference whose text matches a pattern is judged by its value [O7]', async () => {
    await using box = await openJudged({ rules: [mail] });
    box.store('c1', { 'x@example.com': 'evil@attacker.test', ok: 'bob@example.com' });
    expect(await box.call({ to: 'toolwharf-result:c1#/x@example.com' })).toMatchObject({
      failure: { code: 'CALL_DENIED' },
    });
    expect(box.asked[0]?.arguments).toEqual({ to: 'evil@attacker.test' });
    expect((await box.call({ to: 'toolwharf-result:c1#/ok' })).isError).toBe(false);
    expect(box.server.received).toEqual([{ to: 'bob@example.com' }]);
  });

  test('a reference does not evade a remembered denial, also within an object with `ref` [O7]', async () => {
    await using box = await openJudged({ mode: 'auto', rules: [{ answer: 'deny', matching: { path: '/etc/*' } }] });
    box.store('c1', { path: '/etc/passwd', other: '/tmp/x' });
    for (const path of [
      'toolwharf-result:c1#/path',
      { ref: 'toolwharf-result:c1#/path' },
      { ref: 'toolwharf-result:c1' },
    ])
      expect(await box.call({ path })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect(box.server.received).toEqual([]);
    expect((await box.call({ path: 'toolwharf-result:c1#/other' })).isError).toBe(false);
  });

  test('a reference that is unavailable, of another caller or to references is refused, whatever its text [O7]', async () => {
    await using box = await openJudged({ rules: [mail] });
    box.store('c2', { 'x@example.com': 'bob@example.com' }, 'bob');
    box.store('c3', { 'x@example.com': { inner: 'toolwharf-secret:c9' } });
    for (const id of ['gone', 'c2', 'c3'])
      expect(await box.call({ to: `toolwharf-result:${id}#/x@example.com` })).toMatchObject({
        failure: { code: 'ARGUMENTS_INVALID' },
      });
    expect(box.asked).toEqual([]);
    expect(box.server.received).toEqual([]);
  });

  test('a secret is not allowed by a pattern, and not shown to people or the journal [O7]', async () => {
    await using box = await openJudged({ rules: [mail], answer: () => ({ kind: 'allow' }) });
    box.store('secret:c1', { 'x@example.com': 'hush@example.com' });
    const ref = 'toolwharf-secret:c1#/x@example.com';
    const { callId, isError } = await box.call({ to: ref, also: [{ deep: { ref } }] });
    expect(isError).toBe(false);
    const shown = { to: ref, also: [{ deep: ref }] };
    expect(box.asked.map((request) => request.arguments)).toEqual([shown]);
    expect(await box.recorded(callId)).toEqual(shown);
    expect(box.server.received).toEqual([{ to: 'hush@example.com', also: [{ deep: 'hush@example.com' }] }]);
  });

  test('a message about invalid arguments does not quote a secret [O7]', async () => {
    const inputSchema = { type: 'object', properties: { to: { enum: ['a', 'b'] } } };
    await using box = await openJudged({ mode: 'auto', inputSchema });
    box.store('secret:c1', { token: 'hush' });
    const { text, failure } = await box.call({ to: 'toolwharf-secret:c1#/token' });
    expect(failure?.code).toBe('ARGUMENTS_INVALID');
    expect(text).toContain('to: expected');
    expect(text).not.toContain('hush');
  });

  test('arguments are converted beside a reference, and the value of a reference too [O7]', async () => {
    const inputSchema = { type: 'object', properties: { count: { type: 'integer' }, size: { type: 'integer' } } };
    await using box = await openJudged({ mode: 'auto', inputSchema, validation: 'coerce' });
    box.store('c1', { text: 'x', size: '7' });
    await box.call({ count: '3', text: 'toolwharf-result:c1#/text', size: 'toolwharf-result:c1#/size' });
    expect(box.server.received).toEqual([{ count: 3, text: 'x', size: 7 }]);
  });
});

describe('arguments that are converted', () => {
  const inputSchema = { type: 'object', properties: { count: { type: 'integer' } } };

  test.each(['13', '13.0', ' 13', '1.3e1', 13])('a denial of 13 holds for %j [O7]', async (count) => {
    const rule = { answer: 'deny', matching: { count: '13' } } as const;
    await using box = await openJudged({ mode: 'auto', inputSchema, validation: 'coerce', rules: [rule] });
    expect(await box.call({ count })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect(box.server.received).toEqual([]);
  });

  test('a pattern for three digits does not allow 1e3 [O7]', async () => {
    const rule = { answer: 'allow', matching: { count: '1??' } } as const;
    await using box = await openJudged({ inputSchema, validation: 'coerce', rules: [rule] });
    expect(await box.call({ count: '1e3' })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect(box.asked[0]?.arguments).toEqual({ count: 1000 });
    expect((await box.call({ count: '1e2' })).isError).toBe(false);
    expect(box.server.received).toEqual([{ count: 100 }]);
  });
});

test('a rule for certain arguments does not allow a call with members beside its arguments [O7]', async () => {
  await using box = await openJudged({ rules: [{ answer: 'allow', matching: { to: '*@example.com' } }] });
  const { toolbox, asked, server } = box;
  const call = (extraParams?: JsonObject) =>
    toolbox.start('mcp_s_act', { to: 'bob@example.com' }, { caller: { id: 'ada', kind: 'client' }, extraParams })
      .result;
  expect(await call({ bcc: 'evil@attacker.test' })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
  expect(asked).toHaveLength(1);
  expect(server.received).toEqual([]);
  expect((await call()).isError).toBe(false);
});

test('a reference within a text that is converted is refused, so that an edit cannot resolve it unseen [O7]', async () => {
  const properties = { mail: { type: 'object' }, list: { type: 'array' }, count: { type: 'integer' } };
  await using box = await openJudged({
    inputSchema: { type: 'object', properties },
    validation: 'coerce',
    answer: ({ arguments: args }) => ({ kind: 'allow', arguments: { ...args, count: 2 } }),
  });
  box.store('c1', { to: 'evil@attacker.test' });
  const ref = 'toolwharf-result:c1#/to';
  const sneaky = [{ mail: JSON.stringify({ to: ref }) }, { list: JSON.stringify([{ ref }]) }];
  for (const args of sneaky)
    expect(await box.call({ ...args, count: 1 })).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
  expect(box.asked).toEqual([]);
  expect((await box.call({ mail: '{"to":"a"}', count: 1 })).isError).toBe(false);
  expect(box.server.received).toEqual([{ mail: { to: 'a' }, count: 2 }]);
});

test('a denial holds for the default of a missing argument, and an allowance does not [O7]', async () => {
  const inputSchema = {
    type: 'object',
    properties: {
      path: { type: 'string', default: '/etc/passwd' },
      mode: { $ref: '#/$defs/mode' },
      to: { anyOf: [{ type: 'string' }, { type: 'null' }], default: 'ada@example.com' },
      depth: { anyOf: [{ type: 'integer', default: 1 }, { default: 99 }] },
    },
    default: { host: 'evil.test' },
    if: { not: { required: ['force'] } },
    then: { properties: { force: { default: true } } },
    dependentSchemas: { keep: { properties: { days: { default: 30 } } } },
    $defs: { mode: { type: 'string', default: 'delete' } },
  };
  const denials: Record<string, string>[] = [
    { path: '/etc/*' },
    { mode: 'delete' },
    { path: '/etc/*', mode: 'delete' },
    { depth: '99' },
    { host: 'evil.test' },
    { force: 'true' },
    { days: '30' },
  ];
  for (const matching of denials) {
    await using box = await openJudged({ mode: 'auto', inputSchema, rules: [{ answer: 'deny', matching }] });
    expect(await box.call({})).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    const harmless = { path: '/tmp/x', mode: 'read', depth: 2, host: 'ok.test', force: false, days: 1 };
    expect((await box.call(harmless)).isError).toBe(false);
    expect(box.server.received).toEqual([harmless]);
  }
  await using box = await openJudged({ inputSchema, rules: [{ answer: 'allow', matching: { to: '*@example.com' } }] });
  for (const args of [{}, { to: null }])
    expect(await box.call(args)).toMatchObject({ failure: { code: 'CALL_DENIED' } });
  expect(box.asked).toHaveLength(2);
});

describe('a call that waits', () => {
  test('edited arguments are prepared and judged again [O7]', async () => {
    const inputSchema = { type: 'object', properties: { count: { type: 'integer' } } };
    const edits: JsonObject[] = [
      { count: '13.0' },
      { path: 'toolwharf-result:c1#/path', count: '5' },
      { count: 'toolwharf-result:c1#/count' },
    ];
    const rule = { answer: 'deny', matching: { count: '13' } } as const;
    await using box = await openJudged({
      inputSchema,
      validation: 'coerce',
      rules: [rule],
      answer: () => ({ kind: 'allow', arguments: edits.shift() ?? {} }),
    });
    box.store('c1', { path: '/x', count: '13' });
    expect(await box.call({ count: 1 })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect((await box.call({ count: 1 })).isError).toBe(false);
    expect(await box.call({ count: 1 })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect(box.server.received).toEqual([{ path: '/x', count: 5 }]);
    expect(box.reviewed.at(-2)).toEqual({ path: '/x', count: 5 });
  });

  test.each<[string, unknown]>([
    ['no object', 5],
    ['a list', ['/tmp']],
    ['too deep', JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)],
  ])('edited arguments that cannot be arguments are refused instead of left out: %s [O7]', async (_what, edited) => {
    await using box = await openJudged({ answer: () => ({ kind: 'allow', arguments: edited as JsonObject }) });
    expect(await box.call({ path: '/tmp' })).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
    expect(box.server.received).toEqual([]);
  });

  test('neither the caller nor the approver can change the arguments meanwhile [O7]', async () => {
    const args = { path: { to: 'a' }, list: ['a'] };
    await using box = await openJudged({
      answer(request) {
        args.path.to = 'b';
        args.list.push('b');
        expect(() => Object.assign(request.arguments, { path: 'c' })).toThrow(TypeError);
        return { kind: 'allow' };
      },
    });
    await box.call(args);
    expect(box.server.received).toEqual([{ path: { to: 'a' }, list: ['a'] }]);
  });

  test('an approval for one call does not hold for a server that has moved [O7]', async () => {
    const asked: ApprovalRequest[] = [];
    await using toolbox = await openToolbox(
      { servers: { s: fixture('legacy') }, toolbox: { approval: { mode: 'always-ask' } } },
      {
        approver: {
          async ask(request) {
            asked.push(request);
            if (asked.length > 1) return { kind: 'deny', reason: 'it has moved' };
            await toolbox.servers.update('s', fixture('legacy', { PLACE: 'elsewhere' }));
            return { kind: 'allow' };
          },
        },
      },
    );
    const result = await toolbox.call('mcp_s_echo', { text: 'x' });
    expect(result.text).toContain('it has moved');
    expect(new Set(asked.map(({ serverHash }) => serverHash)).size).toBe(2);
    expect(new Set(asked.map(({ definitionHash }) => definitionHash)).size).toBe(1);
  });
});

test('values that JSON does not have are judged as they will be sent [O7]', async () => {
  await using box = await openJudged({ mode: 'auto', rules: [{ answer: 'deny', matching: { path: '/etc/*' } }] });
  const sneaky = [{ toJSON: () => '/etc/passwd' }, new String('/etc/passwd')];
  for (const path of sneaky) expect(await box.call({ path })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
  const circular: Record<string, unknown> = {};
  circular.a = circular;
  circular.b = circular;
  expect(await box.call(circular)).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
  expect(box.server.received).toEqual([]);
});
