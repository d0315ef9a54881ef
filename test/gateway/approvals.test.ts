import { describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const config = (approval: object = { mode: 'always-ask' }) => ({
  servers: { s: fixture('legacy') },
  toolbox: { approval },
});

const asksClient = { mode: 'always-ask', approvers: 'client' };

describe('a call that must be approved', () => {
  test('a call that must be approved waits in the store for its approval, and runs once even if it is approved repeatedly', async () => {
    await using gateway = await openTestGateway(config());
    await using client = await connectClient(`${gateway.url}/mcp`);
    const { calls, storage } = gateway.parts;
    const { approver } = calls;
    const calling = client.text('s__add', { a: 1, b: 2 });
    const [pending] =
      (await waitFor(async () => {
        const pending = await storage.approvals.list({ status: 'pending' });
        return pending.length > 0 ? pending : undefined;
      })) ?? [];
    expect(pending?.request).toMatchObject({
      server: 's',
      originalName: 'add',
      arguments: { a: 1, b: 2 },
      caller: { id: 'local' },
    });
    const id = pending?.request.id as string;
    const answers = await Promise.all([1, 2, 3].map((by) => approver.answer(id, { kind: 'allow' }, `person ${by}`)));
    expect(answers.sort()).toEqual(['already', 'already', 'answered']);
    expect(await calling).toBe('3');
    expect((await storage.approvals.get(id))?.status).toBe('used');
    expect(await approver.answer(id, { kind: 'deny' }, 'late')).toBe('already');
  });

  test('a call that must be approved returns the reason of a denial to its caller', async () => {
    await using gateway = await openTestGateway(config());
    await using client = await connectClient(`${gateway.url}/mcp`);
    const calling = client.text('s__echo', { text: 'x' });
    const pending = await waitFor(async () => (await gateway.parts.storage.approvals.list({ status: 'pending' }))[0]);
    await gateway.parts.calls.approver.answer(
      pending?.request.id as string,
      { kind: 'deny', reason: 'not today' },
      'Ada',
    );
    expect(await calling).toContain('not today');
  });

  test('a call that must be approved reports to a client without elicitation that it awaits approval', async () => {
    await using gateway = await openTestGateway(config());
    await using client = await connectClient(`${gateway.url}/mcp`);
    const { calls, storage } = gateway.parts;
    const { approver } = calls;
    const progress: (string | undefined)[] = [];
    const calling = client.client.callTool(
      { name: 's__add', arguments: { a: 1, b: 2 } },
      { onprogress: ({ message }) => progress.push(message) },
    );
    await waitFor(() => progress.length > 0, { what: 'progress' });
    const pending = await waitFor(async () => (await storage.approvals.list({ status: 'pending' }))[0]);
    await approver.answer(pending?.request.id as string, { kind: 'allow' }, 'Ada');
    expect((await calling).isError).toBeFalsy();
    expect(progress[0]).toBe('Waiting for approval');
  });

  test('a call that must be approved is not made when its approval expires', async () => {
    await using gateway = await openTestGateway(config({ mode: 'always-ask', expires: '300ms' }));
    await using client = await connectClient(`${gateway.url}/mcp`);
    expect(await client.text('s__echo', { text: 'x' })).toContain('was not made: no answer');
  });

  test('a call that must be approved runs after an answer on another page while the client shows the approval', async () => {
    await using gateway = await openTestGateway(config(asksClient));
    const { calls, storage } = gateway.parts;
    const { approver } = calls;
    await using client = await connectClient(`${gateway.url}/mcp`, {
      elicit: async () => {
        const [pending] = await storage.approvals.list({ status: 'pending' });
        await approver.answer(pending?.request.id as string, { kind: 'allow' }, 'somebody else');
        return { action: 'decline' };
      },
    });
    expect(await client.text('s__add', { a: 1, b: 2 })).toBe('3');
  });

  test('a call that must be approved needs another approval for other arguments', async () => {
    await using gateway = await openTestGateway(config(asksClient));
    await using client = await connectClient(`${gateway.url}/mcp`, {
      elicit: (params) => ({
        action: String(params.message).includes('"a":1') ? 'accept' : 'decline',
        content: { answer: 'once' },
      }),
    });
    expect(await client.text('s__add', { a: 1, b: 2 })).toBe('3');
    expect(await client.text('s__add', { a: 9, b: 2 })).toContain('denied');
  });
});

test('a profile can require more approval than the toolbox, and its hidden tools are hidden from every request', async () => {
  await using _dir = await tempDir();
  await using gateway = await openTestGateway({
    servers: { s: fixture('legacy') },
    profiles: { careful: { approval: { mode: 'always-ask', expires: '200ms' }, deny: ['s/env', 's/pid'] } },
  });
  await using open = await connectClient(`${gateway.url}/mcp`);
  await using careful = await connectClient(`${gateway.url}/mcp/careful`);
  expect(await open.text('s__echo', { text: 'x' })).toBe('x');
  expect(await careful.text('s__echo', { text: 'x' })).toContain('was not made');
  expect(await careful.names()).not.toContain('s__pid');
  await expect(careful.text('s__pid')).rejects.toThrow('Unknown tool');
  await using old = await connectClient(`${gateway.url}/mcp/careful`, { era: 'legacy' });
  expect(await old.names()).not.toContain('s__pid');
  await expect(old.text('s__pid')).rejects.toThrow('Unknown tool');
});
