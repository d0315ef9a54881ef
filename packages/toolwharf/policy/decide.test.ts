import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApprovalConfig } from '../../contract/settings/config.ts';
import type { Caller, ToolAnnotations } from '../kernel/tool.ts';
import { type DecidedTool, type DecisionInput, decide } from './decide.ts';
import type { RememberedRule } from './remembered-rules.ts';

const caller: Caller = { id: 'assistant-1', kind: 'assistant', conversation: 'c1' };
const tool: DecidedTool = {
  scope: { naming: 'mcp', servers: ['github', 'evil'], localTools: new Set(['sum']) },
  name: 'mcp_github_create_issue',
  originalName: 'create_issue',
  server: 'github',
  serverAddress: 'https://github.example/mcp',
  serverTrusted: false,
  definitionHash: 'h1',
};
const approval: ApprovalConfig = {
  mode: 'auto',
  trustedTools: [],
  ask: [],
  deny: [],
  expiresMs: 60_000,
  approvers: 'admins',
  reads: 'allow',
};
const rule: RememberedRule = {
  id: 'r1',
  scope: 'tool',
  answer: 'allow',
  serverAddress: 'https://github.example/mcp',
  tool: 'create_issue',
  definitionHash: 'h1',
  createdAt: '2026-01-01T00:00:00Z',
};

interface InputChange {
  readonly tool?: Partial<DecidedTool>;
  readonly approval?: Partial<ApprovalConfig>;
  readonly remembered?: readonly RememberedRule[];
  readonly caller?: Caller;
}

function inputWith(change: InputChange = {}): DecisionInput {
  return {
    tool: { ...tool, ...change.tool },
    approval: { ...approval, ...change.approval },
    remembered: change.remembered ?? [],
    caller: change.caller ?? caller,
  };
}

const kindOf = (change: InputChange) => decide(inputWith(change)).kind;

describe('the approval mode [R16]', () => {
  test('auto allows calls', () => {
    expect(decide(inputWith())).toEqual({ kind: 'allow', because: 'the approval mode is auto' });
  });

  test('always-ask asks for approval, also of a trusted tool', () => {
    const asking = { mode: 'always-ask', trustedTools: ['*'] } as const;
    expect(decide(inputWith({ approval: asking }))).toMatchObject({ kind: 'ask', rule: 'always-ask' });
  });

  test('trusted-only allows listed tools and asks for approval of the others', () => {
    const listed = (trustedTools: readonly string[]) => kindOf({ approval: { mode: 'trusted-only', trustedTools } });
    expect(listed(['mcp_github_*'])).toBe('allow');
    expect(listed(['github/create_*'])).toBe('allow');
    expect(listed(['*'])).toBe('allow');
    expect(listed(['gitlab/*', 'create_issue'])).toBe('ask');
    expect(listed([])).toBe('ask');
  });

  test('trusted-only allows a read-only tool only if its server is marked as trusted', () => {
    const reading = (serverTrusted: boolean, annotations: ToolAnnotations) =>
      kindOf({ approval: { mode: 'trusted-only' }, tool: { serverTrusted, annotations } });
    expect(reading(true, { readOnlyHint: true })).toBe('allow');
    expect(reading(false, { readOnlyHint: true })).toBe('ask');
    expect(reading(true, { readOnlyHint: false })).toBe('ask');
    expect(reading(true, { destructiveHint: false })).toBe('ask');
  });

  test('trusted-only does not trust a tool that is named like a qualified pattern of another server', () => {
    const impostor = { name: 'github/create_issue', originalName: 'github/create_issue', server: 'evil' };
    expect(kindOf({ tool: impostor, approval: { mode: 'trusted-only', trustedTools: ['github/create_issue'] } })).toBe(
      'ask',
    );
  });
});

describe('the deny and ask lists', () => {
  test('the deny and ask lists deny a tool by its exposed name or its qualified name', () => {
    for (const pattern of ['mcp_github_create_issue', 'github/*', '*create*'])
      expect(kindOf({ approval: { deny: [pattern], ask: ['*'], trustedTools: ['*'] }, remembered: [rule] })).toBe(
        'deny',
      );
  });

  test('the deny and ask lists ask for approval of a tool on the ask list in every mode, even with a remembered answer', () => {
    for (const mode of ['auto', 'trusted-only', 'always-ask'] as const)
      expect(
        decide(inputWith({ approval: { mode, ask: ['github/*'], trustedTools: ['*'] }, remembered: [rule] })),
      ).toMatchObject({ kind: 'ask', rule: 'ask-list' });
  });

  test('the deny and ask lists match a local tool by its own name', () => {
    const local = { name: 'sum', originalName: 'sum', server: undefined, serverAddress: undefined };
    expect(kindOf({ tool: local, approval: { deny: ['sum'] } })).toBe('deny');
    expect(kindOf({ tool: local, approval: { deny: ['*/sum', 'undefined/*'] } })).toBe('allow');
  });
});

describe('a remembered answer', () => {
  const asking = { mode: 'always-ask' } as const;
  const decideWith = (change: Partial<RememberedRule>, more: InputChange = {}) =>
    kindOf({ approval: asking, remembered: [{ ...rule, ...change }], ...more });

  test('a remembered answer that allows a tool applies only to the same server URL and definition', () => {
    expect(decideWith({})).toBe('allow');
    expect(decideWith({}, { tool: { serverAddress: 'https://elsewhere.example/mcp' } })).toBe('ask');
    expect(decideWith({}, { tool: { definitionHash: 'h2' } })).toBe('ask');
    expect(decideWith({ tool: 'delete_repo' })).toBe('ask');
    expect(decideWith({ definitionHash: undefined })).toBe('ask');
    expect(decideWith({ serverAddress: undefined })).toBe('ask');
  });

  test('a remembered answer that allows a server applies to all its tools at that URL, including changed definitions', () => {
    const server = { scope: 'server', tool: undefined, definitionHash: undefined } as const;
    expect(decideWith(server)).toBe('allow');
    expect(decideWith(server, { tool: { originalName: 'other', definitionHash: 'h9' } })).toBe('allow');
    expect(decideWith(server, { tool: { serverAddress: 'https://elsewhere.example/mcp' } })).toBe('ask');
  });

  test('a remembered answer that allows a tool in a conversation applies only to that conversation', () => {
    const conversation = { scope: 'conversation', conversation: 'c1' } as const;
    expect(decideWith(conversation)).toBe('allow');
    expect(decideWith(conversation, { caller: { ...caller, conversation: 'c2' } })).toBe('ask');
    expect(decideWith({ scope: 'conversation' }, { caller: { id: 'x', kind: 'assistant' } })).toBe('ask');
    expect(decideWith(conversation, { tool: { definitionHash: 'h2' } })).toBe('ask');
  });

  test('a remembered answer that denies a tool applies in every mode and to new definitions', () => {
    expect(decideWith({ answer: 'deny' }, { approval: { mode: 'auto' }, tool: { definitionHash: 'h2' } })).toBe('deny');
    expect(decideWith({ answer: 'deny', scope: 'server' }, { tool: { originalName: 'other' } })).toBe('deny');
    expect(decideWith({ answer: 'deny' }, { tool: { originalName: 'other' } })).toBe('ask');
  });

  test('a remembered answer that denies a tool overrides one that allows it', () => {
    const both = [rule, { ...rule, id: 'r2', answer: 'deny' } as const];
    expect(decide(inputWith({ remembered: both }))).toEqual({
      kind: 'deny',
      reason: 'a remembered answer denies this tool (rule r2)',
    });
  });

  test('a remembered answer for local tools never applies to a server, and one for a server never applies to local tools', () => {
    const local = { server: undefined, serverAddress: undefined };
    expect(decideWith({ scope: 'server', serverAddress: undefined })).toBe('ask');
    expect(decideWith({ serverAddress: undefined }, { tool: local })).toBe('allow');
    expect(decideWith({}, { tool: local })).toBe('ask');
  });
});

describe('a changed tool definition', () => {
  test('a changed tool definition denies a quarantined tool, even when a remembered answer allows its server', () => {
    const decision = decide(inputWith({ tool: { changed: 'quarantine' }, remembered: [{ ...rule, scope: 'server' }] }));
    expect(decision).toMatchObject({ kind: 'deny', reason: expect.stringContaining('changed since it was accepted') });
  });

  test('a changed tool definition requires approval in auto mode, and when the old definition or the server was allowed', () => {
    const changed = { changed: 'ask', definitionHash: 'h2' } as const;
    expect(decide(inputWith({ tool: changed }))).toMatchObject({ kind: 'ask', rule: 'changed-definition' });
    expect(kindOf({ tool: changed, remembered: [rule] })).toBe('ask');
    expect(kindOf({ tool: changed, remembered: [{ ...rule, scope: 'server' }] })).toBe('ask');
    expect(kindOf({ tool: changed, approval: { mode: 'trusted-only', trustedTools: ['*'] } })).toBe('ask');
  });

  test('a changed tool definition requires no approval after a person allowed the new definition', () => {
    const changed = { changed: 'ask', definitionHash: 'h2' } as const;
    expect(kindOf({ tool: changed, remembered: [{ ...rule, definitionHash: 'h2' }] })).toBe('allow');
  });
});

describe('for every input', () => {
  const some = <Value>(...values: Value[]) => fc.constantFrom(...values);
  const patterns = fc.subarray(['*', 'github/*', 'mcp_*', 'other', 'create_issue']);
  const rules: fc.Arbitrary<RememberedRule> = fc.record(
    {
      id: fc.constant('r'),
      scope: some('conversation' as const, 'tool' as const, 'server' as const),
      answer: some('allow' as const, 'deny' as const),
      serverAddress: some('https://github.example/mcp', 'https://elsewhere.example'),
      tool: some('create_issue', 'other'),
      definitionHash: some('h1', 'h2'),
      conversation: some('c1', 'c2'),
      createdAt: fc.constant('2026-01-01T00:00:00Z'),
    },
    { requiredKeys: ['id', 'scope', 'answer', 'createdAt'] },
  );
  const annotations = fc.record({ readOnlyHint: fc.boolean(), idempotentHint: fc.boolean() }, { requiredKeys: [] });
  const inputs: fc.Arbitrary<DecisionInput> = fc.record({
    tool: fc.record({
      scope: fc.constant(tool.scope),
      name: fc.constant(tool.name),
      originalName: some('create_issue', 'other'),
      server: fc.constant('github'),
      serverAddress: fc.constant('https://github.example/mcp'),
      serverTrusted: fc.boolean(),
      annotations,
      definitionHash: some('h1', 'h2'),
      changed: some(undefined, 'ask' as const, 'quarantine' as const),
    }),
    approval: fc.record({
      mode: some('auto' as const, 'always-ask' as const, 'trusted-only' as const),
      trustedTools: patterns,
      ask: patterns,
      deny: patterns,
      expiresMs: fc.constant(1),
      approvers: fc.constant('admins' as const),
      reads: fc.constant('allow' as const),
    }),
    remembered: fc.array(rules, { maxLength: 4 }),
    caller: fc.record({
      id: fc.constant('a'),
      kind: fc.constant('assistant' as const),
      conversation: some('c1', 'c2'),
    }),
  });

  test('deny always wins [R16]', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const denied = { ...input, approval: { ...input.approval, deny: [...input.approval.deny, 'mcp_github_*'] } };
        expect(decide(denied).kind).toBe('deny');
      }),
    );
  });

  test("an untrusted server's annotations never change the decision [R16]", () => {
    fc.assert(
      fc.property(inputs, annotations, (input, other) => {
        const untrusted = { ...input.tool, serverTrusted: false };
        const before = decide({ ...input, tool: untrusted });
        expect(decide({ ...input, tool: { ...untrusted, annotations: other } })).toEqual(before);
      }),
    );
  });

  test('an ask list never makes a decision more permissive', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const rank = { deny: 0, ask: 1, allow: 2 };
        const stricter = { ...input, approval: { ...input.approval, ask: [...input.approval.ask, '*'] } };
        expect(rank[decide(stricter).kind]).toBeLessThanOrEqual(Math.min(1, rank[decide(input).kind]));
      }),
    );
  });
});

test('a remembered denial with argument patterns cannot be evaded by the path segment `..`', () => {
  const denial: RememberedRule = { ...rule, answer: 'deny', matching: { path: '/etc/*' } };
  const decideFor = (path: string) => decide({ ...inputWith({ remembered: [denial] }), args: { path } }).kind;
  expect(decideFor('/etc/passwd')).toBe('deny');
  expect(decideFor('/tmp/../etc/passwd')).toBe('deny');
  expect(decideFor('/tmp/x')).toBe('allow');
});
