import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ApprovalAnswer, type ApprovalRequest, localTool, type Toolbox } from '../../packages/toolwharf/index.ts';
import { fixture } from '../support/fixtures.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

afterEach(() => void vi.useRealTimers());

describe('the toolbox', () => {
  const asking = (answers: (ApprovalAnswer | 'never')[]) => {
    const requests: ApprovalRequest[] = [];
    return {
      requests,
      ask: async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
        requests.push(request);
        const answer = answers.shift() ?? 'never';
        return answer === 'never' ? new Promise(() => {}) : answer;
      },
    };
  };
  const config = (approval: object) => ({ servers: { s: fixture('legacy') }, toolbox: { approval } });

  test('the toolbox runs every tool in auto mode, asks each time in always-ask mode, and asks about untrusted tools in trusted-only mode [R16]', async () => {
    const auto = asking([]);
    await using free = await openToolbox(config({ mode: 'auto' }), { approver: auto });
    expect((await free.call('mcp_s_echo', { text: 'x' })).isError).toBe(false);
    expect(auto.requests).toHaveLength(0);

    const always = asking([{ kind: 'allow' }, { kind: 'deny', reason: 'not today' }]);
    await using alwaysAsking = await openToolbox(config({ mode: 'always-ask' }), { approver: always });
    expect((await alwaysAsking.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
    const denied = await alwaysAsking.call('mcp_s_echo', { text: 'x' });
    expect(denied).toMatchObject({ isError: true, failure: { code: 'CALL_DENIED' } });
    expect(denied.text).toContain('not today');
    expect(always.requests[0]).toMatchObject({ tool: 'mcp_s_echo', server: 's', arguments: { text: 'x' } });

    const trusted = asking([{ kind: 'allow' }]);
    await using some = await openToolbox(config({ mode: 'trusted-only', trustedTools: ['mcp_s_add'] }), {
      approver: trusted,
    });
    expect((await some.call('mcp_s_add', { a: 1, b: 2 })).text).toBe('3');
    expect(trusted.requests).toHaveLength(0);
    // The tool is annotated as read-only, but its server is not trusted.
    await some.call('mcp_s_echo', { text: 'x' });
    expect(trusted.requests).toHaveLength(1);
  });

  test('the toolbox takes an approver that is a function, as plugins have', async () => {
    const asked: string[] = [];
    await using toolbox = await openToolbox(config({ mode: 'always-ask' }), {
      approver({ tool }, { signal }) {
        asked.push(`${tool} ${signal.aborted}`);
        return { kind: 'deny', reason: 'not by this function' };
      },
    });
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toContain('not by this function');
    expect(asked).toEqual(['mcp_s_echo false']);
  });

  test('the toolbox denies a call whose answer has an invalid member, remembers nothing of it, and asks about later calls', async () => {
    const answers = [
      { kind: 'allow', scope: 'tool', matching: { text: 5 } },
      { kind: 'allow', scope: 'tool', matching: 'x' },
      { kind: 'allow', scope: 'all' },
      { kind: 'deny', scope: 'tool', audience: 'me' },
      { kind: 'allow', by: Symbol('Ada') },
    ];
    const approver = asking([...answers, { kind: 'allow' }] as unknown as ApprovalAnswer[]);
    await using toolbox = await openToolbox(config({ mode: 'always-ask' }), { approver });
    for (const _ of answers) {
      const { failure, text } = await toolbox.call('mcp_s_echo', { text: 'x' });
      expect([failure?.code, text]).toEqual(['CALL_DENIED', expect.stringContaining('has an invalid `')]);
    }
    expect(await toolbox.approvals.rules()).toEqual([]);
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).text).toBe('x');
  });

  test('the toolbox ends a call whose approver never stores the question: when it is cancelled, or in the time for answers', async () => {
    const withdrawn: boolean[] = [];
    const stored: (() => void)[] = [];
    const approver = {
      register: (request: ApprovalRequest) =>
        new Promise<ApprovalRequest>((resolve) => stored.push(() => resolve(request))),
      async ask(_request: ApprovalRequest, { aborted }: AbortSignal): Promise<ApprovalAnswer> {
        withdrawn.push(aborted);
        return { kind: 'allow' };
      },
    };
    await using toolbox = await openToolbox(config({ mode: 'always-ask', expires: '1s' }), { approver });
    const call = toolbox.start('mcp_s_echo', { text: 'x' });
    await waitFor(() => stored.length === 1);
    call.cancel();
    expect((await call.result).failure?.code).toBe('CALL_CANCELLED');
    expect((await toolbox.call('mcp_s_echo', { text: 'x' })).failure?.code).toBe('APPROVAL_FAILED');
    for (const store of stored) store();
    await waitFor(() => withdrawn.length === 2);
    expect(withdrawn).toEqual([true, true]);
  });

  test('the toolbox denies a call that needs approval when there is no approver', async () => {
    await using toolbox = await openToolbox(config({ mode: 'always-ask' }));
    const result = await toolbox.call('mcp_s_echo', { text: 'x' });
    expect(result).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    expect(result.text).toContain('no approver is available');
  });

  test('the toolbox validates edited arguments again before it runs them, and does not ask twice about a remembered answer until it is revoked', async () => {
    const approver = asking([
      { kind: 'allow', arguments: { a: 20, b: 3 } },
      { kind: 'allow', arguments: { a: 'x' } },
      { kind: 'allow', scope: 'tool' },
      { kind: 'deny' },
    ]);
    await using toolbox = await openToolbox(config({ mode: 'always-ask' }), { approver });
    expect((await toolbox.call('mcp_s_add', { a: 1, b: 2 })).text).toBe('23');
    expect(await toolbox.call('mcp_s_add', { a: 1, b: 2 })).toMatchObject({ failure: { code: 'ARGUMENTS_INVALID' } });
    expect((await toolbox.call('mcp_s_add', { a: 1, b: 2 })).text).toBe('3');
    expect((await toolbox.call('mcp_s_add', { a: 2, b: 2 })).text).toBe('4');
    expect(approver.requests).toHaveLength(3);
    const [rule] = await toolbox.approvals.rules();
    expect(rule).toMatchObject({ scope: 'tool', answer: 'allow', server: 's', tool: 'add' });
    await toolbox.approvals.revokeRule(rule?.id ?? '');
    expect(await toolbox.call('mcp_s_add', { a: 1, b: 2 })).toMatchObject({ failure: { code: 'CALL_DENIED' } });
  });

  test('the toolbox denies an approval that is not answered in time', async () => {
    await using expired = await openToolbox(config({ mode: 'always-ask', expires: '100ms' }), {
      approver: asking(['never']),
    });
    expect((await expired.call('mcp_s_echo', { text: 'x' })).text).toContain('no answer within');
  });

  test('the toolbox neither holds a permit nor runs the tool timeout while a call waits for approval', async () => {
    const all = Promise.withResolvers<void>();
    const requests: ApprovalRequest[] = [];
    const approver = {
      ask: async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
        requests.push(request);
        // Only one call may run at a time, but all three ask for approval.
        if (requests.length === 3) {
          await vi.advanceTimersByTimeAsync(60_000);
          all.resolve();
        }
        await all.promise;
        return { kind: 'allow' };
      },
    };
    const echo = localTool({
      name: 'echo',
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      timeoutMs: 200,
      maxInstances: 1,
      execute: (args) => String((args as { text: string }).text),
    });
    await using toolbox = await openToolbox(
      { servers: {}, toolbox: { approval: { mode: 'always-ask', expires: '1h' } } },
      { tools: [echo], approver },
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const results = await Promise.all(['a', 'b', 'c'].map((text) => toolbox.call('echo', { text })));
    expect(results.map((result) => result.text)).toEqual(['a', 'b', 'c']);
  });

  test.each([[true], [undefined], [{}], [{ approved: false }], ['allow'], [{ kind: 'Allow' }]])(
    'the toolbox denies a call if the answer is invalid, such as %j [R16]',
    async (answer) => {
      await using toolbox = await openToolbox(config({ mode: 'always-ask' }), {
        approver: { ask: async () => answer as never },
      });
      const result = await toolbox.call('mcp_s_echo', { text: 'x' });
      expect(result).toMatchObject({ isError: true, failure: { code: 'CALL_DENIED' } });
      expect(result.text).toContain("neither { kind: 'allow' } nor { kind: 'deny' }");
    },
  );

  test('the toolbox pauses the tool timeout while a person answers a question of the server', async () => {
    await using toolbox = await openToolbox(
      { servers: { s: fixture('legacy') }, toolbox: { tools: [{ name: 'ask', timeout: '300ms' }] } },
      {
        host: {
          elicit: async () => {
            await vi.advanceTimersByTimeAsync(600);
            return { action: 'accept', content: { name: 'Ada' } };
          },
        },
      },
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    expect((await toolbox.call('mcp_s_ask', { question: 'who?' })).text).toContain('Ada');
  });
});

describe('a changed tool definition', () => {
  const change = async (toolbox: Toolbox) => {
    const before = toolbox.catalog.find('mcp_s_target')?.definitionHash;
    await toolbox.call('mcp_s_mutate', {});
    await waitFor(() => toolbox.catalog.find('mcp_s_target')?.definitionHash !== before, {
      what: 'the changed definition',
    });
  };
  const config = (onChange?: string) => ({
    servers: { s: { ...fixture('changing'), ...(onChange && { on_change: onChange }) } },
  });

  test('a changed tool definition needs approval with the difference shown, even in auto mode', async () => {
    const requests: ApprovalRequest[] = [];
    const approver = {
      ask: async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
        requests.push(request);
        return { kind: 'allow' };
      },
    };
    await using toolbox = await openToolbox(config(), { approver });
    await toolbox.call('mcp_s_target', { a: 'x' });
    expect(requests).toHaveLength(0);
    await change(toolbox);
    expect(toolbox.catalog.find('mcp_s_target')?.changes?.length).toBeGreaterThan(0);
    await toolbox.call('mcp_s_target', { a: 'x', b: 'y' });
    expect(requests[0]?.change).toContainEqual(expect.objectContaining({ path: '/description', kind: 'changed' }));
    expect(await toolbox.approvals.acceptChange('mcp_s_target')).toBe(true);
    await toolbox.call('mcp_s_target', { a: 'x', b: 'y' });
    expect(requests).toHaveLength(1);
  });

  test('a changed tool definition is rejected in quarantine mode until it is accepted, and is accepted at once in allow mode', async () => {
    await using strict = await openToolbox(config('quarantine'));
    await change(strict);
    expect(await strict.call('mcp_s_target', {})).toMatchObject({ failure: { code: 'TOOL_CHANGED' } });
    await strict.approvals.acceptChange('mcp_s_target');
    expect((await strict.call('mcp_s_target', { a: 'x', b: 'y' })).isError).toBe(false);
    await using easy = await openToolbox(config('allow'));
    await change(easy);
    expect(easy.catalog.find('mcp_s_target')?.changed).toBeUndefined();
    expect((await easy.approvals.pins()).find((pin) => pin.tool === 'target')?.hash).toBe(
      easy.catalog.find('mcp_s_target')?.definitionHash,
    );
  });
});
