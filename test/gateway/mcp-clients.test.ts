import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, startHttp } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { initializeParams, openRaw, post, textOf } from '../support/raw-mcp.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';

test('two clients with simultaneous questions on one connection each receive their own question', async () => {
  await using upstream = await startHttp('legacy-http');
  await using gateway = await serveMcp({ subject: { url: upstream.url } });
  await using one = await connectMcp(gateway.url, 'legacy', { answers: usualAnswers, caller: 'one' });
  await using two = await connectMcp(gateway.url, 'modern', { answers: usualAnswers, caller: 'two' });
  const calls = ['a', 'b', 'c', 'd', 'e'].flatMap((question) => [
    one.text('ask', { question: `one ${question}` }).then((text) => expect(text).toContain(`re: one ${question}`)),
    two.text('ask', { question: `two ${question}` }).then((text) => expect(text).toContain(`re: two ${question}`)),
  ]);
  await Promise.all(calls);
});

test('a call that may ask waits until the call of another client has ended', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  await using one = await connectMcp(gateway.url, 'legacy', { answers: usualAnswers, caller: 'one' });
  await using two = await connectMcp(gateway.url, 'legacy', { answers: usualAnswers, caller: 'two' });
  const begun = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const busy = two.client.callTool(
    { name: 'sleep', arguments: { ms: 600_000 } },
    { onprogress: () => begun.resolve(), signal: cancel.signal },
  );
  await begun.promise;
  const asking = one.text('ask', { question: 'Mine?' });
  cancel.abort();
  await expect(busy).rejects.toThrow();
  expect(await asking).toContain('re: Mine?');
});

test.each(['stdio', 'http'])('a log message of a call does not reach another client: over %s', async (way) => {
  await using upstream = await startHttp('legacy-http');
  await using gateway = await serveMcp({ subject: way === 'http' ? { url: upstream.url } : fixture('legacy') });
  await using talker = await connectMcp(gateway.url, 'legacy', { caller: 'one' });
  await using bystander = await connectMcp(gateway.url, 'legacy', { caller: 'two' });
  const begun = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const busy = bystander.client.callTool(
    { name: 'sleep', arguments: { ms: 600_000 } },
    { onprogress: () => begun.resolve(), signal: cancel.signal },
  );
  await begun.promise;
  await talker.text('log', { level: 'error', text: 'mine' });
  expect(talker.logs()).toEqual(way === 'http' ? ['mine'] : []);
  expect(bystander.logs()).toEqual([]);
  cancel.abort();
  await expect(busy).rejects.toThrow();
  // Until the gateway has ended the other call, a message on stdio may belong to either call.
  const logs = () => talker.text('log', { level: 'error', text: 'mine alone' }).then(() => talker.logs());
  await expect.poll(logs).toContain('mine alone');
  expect(bystander.logs()).toEqual([]);
});

test('a session can be used by its own caller only', async () => {
  await using gateway = await serveMcp({ subject: fixture('legacy') });
  const agent = new Agent();
  const opened = await post(gateway.url, agent, { id: 0, method: 'initialize', params: initializeParams });
  const session = String(opened.headers['mcp-session-id']);
  const ping = async (headers: Record<string, string>) =>
    (await post(gateway.url, agent, { id: 1, method: 'ping' }, headers)).status;
  expect(await ping({ 'mcp-session-id': session })).toBe(200);
  expect(await ping({ 'mcp-session-id': session, 'x-caller': 'somebody-else' })).toBe(404);
  expect(await ping({ 'mcp-session-id': `${session}x` })).toBe(404);
  expect(await ping({})).toBe(400);
  agent.destroy();
});

test('a legacy client continues after a restart of the gateway', async () => {
  const sessionKey = randomBytes(32);
  const servers = { subject: fixture('legacy') };
  const before = await serveMcp(servers, { sessionKey });
  await using client = await connectMcp(before.url, 'legacy', { answers: usualAnswers });
  expect(await client.text('echo', { text: 'before' })).toBe('before');
  await before[Symbol.asyncDispose]();
  await using _after = await serveMcp(servers, { sessionKey, port: Number(new URL(before.url).port) });
  expect(await client.text('echo', { text: 'after' })).toBe('after');
  expect(await client.text('ask', { question: 'Still there?' })).toContain('re: Still there?');
});

describe('a thousand clients', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `client ${index}`);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let gateway: ServedMcp;
  beforeAll(async () => {
    gateway = await serveMcp({ subject: fixture('legacy') });
  });
  afterAll(async () => {
    agent.destroy();
    await gateway[Symbol.asyncDispose]();
  });

  test('a thousand clients in the legacy era get their own responses to requests with the same id', async () => {
    const clients = await Promise.all(many.map(() => openRaw(gateway.url, 'legacy', agent)));
    expect(gateway.mcp.open.sessions).toBe(many.length);
    const answered = await Promise.all(
      many.map((text, index) => clients[index]?.send(0, 'tools/call', { name: 'echo', arguments: { text } })),
    );
    expect(answered.map((answer) => [answer?.body.id, textOf(answer?.body)])).toEqual(many.map((text) => [0, text]));
  });

  test('a thousand clients in the modern era get their own responses to requests with the same id', async () => {
    const client = await openRaw(gateway.url, 'modern', agent);
    const answered = await Promise.all(
      many.map((text) => client.send(0, 'tools/call', { name: 'echo', arguments: { text } })),
    );
    expect(answered.map(({ body }) => [body.id, textOf(body)])).toEqual(many.map((text) => [0, text]));
  });
});

test('an idle connection stays open longer than at clients and proxies, so it is never closed during a request', async () => {
  await using gateway = await openTestGateway({ servers: {} });
  const { headers } = await fetch(`${gateway.url}/mcp`);
  expect(headers.get('keep-alive')).toBe('timeout=65');
});
