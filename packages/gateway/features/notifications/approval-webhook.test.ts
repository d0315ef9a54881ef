import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { patienceMs, waitFor } from '../../../../test/support/wait-for.ts';
import type { WebhookConfig } from '../../../contract/settings/gateway-config.ts';
import { systemClock } from '../../../toolwharf/kernel/clock.ts';
import { createLog, type LogEntry } from '../../../toolwharf/kernel/log.ts';
import type { ApprovalRequest } from '../../../toolwharf/policy/approval.ts';
import { createApprovalWebhook } from './approval-webhook.ts';

interface Message {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A webhook that answers with each status in turn and repeats the last one. */
async function setUp(
  statuses: readonly number[],
  webhook: Partial<WebhookConfig> = {},
  env: Record<string, string> = {},
) {
  const messages: Message[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    messages.push({ path: request.url ?? '', headers: request.headers, body });
    response
      .writeHead(statuses[Math.min(messages.length, statuses.length) - 1] ?? 200, { location: '/elsewhere' })
      .end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const entries: LogEntry[] = [];
  const stop = new AbortController();
  const log = createLog((entry) => entries.push(entry));
  const now = Date.parse(request.askedAt);
  const { notify } = createApprovalWebhook({
    webhook: () => ({ url, ...webhook }),
    env,
    log,
    clock: { ...systemClock, now: () => now },
    stopping: stop.signal,
    personOf: async (id) => (id.startsWith('key:ada-') ? 'ada' : id),
    timeoutMs: patienceMs,
    backoffMs: 1,
    maxAttempts: 3,
    maxConcurrent: 2,
    maxWaitingPerCaller: 2,
  });
  cleanups.push(() => {
    stop.abort();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    messages,
    entries,
    now,
    stop,
    ask(changes = {}) {
      const notice = { type: 'approval.waiting', request: { ...request, ...changes } } as const;
      void notify?.(notice, {
        signal: stop.signal,
        settings: {},
        records: {},
        history: async () => ({ calls: [], isCut: false }),
      });
    },
  };
}

const request: ApprovalRequest = {
  id: 'a1',
  callId: 'c1',
  caller: { id: 'key:1', kind: 'client' },
  server: 's',
  tool: 's__t',
  originalName: 't',
  description: '',
  arguments: { amount: 5 },
  argumentsHash: 'x',
  definitionHash: 'y',
  reason: 'the approval mode is always-ask',
  askedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
};

test('an approval is posted once, with a signature that covers the timestamp', async () => {
  const { messages, ask, now } = await setUp([204], { secret: '${HOOK_SECRET}' }, { HOOK_SECRET: 'shh-secret' });
  ask();
  await waitFor(() => messages.length > 0);
  const [{ path, headers, body }] = messages as [Message];
  expect(path).toBe('/hook');
  expect(JSON.parse(body)).toEqual({
    type: 'approval.asked',
    approval: request,
    answerPath: '/api/approvals/a1/answer',
  });
  const signed = `${headers['x-toolwharf-timestamp']}.${body}`;
  expect(headers['x-toolwharf-signature']).toBe(
    `sha256=${createHmac('sha256', 'shh-secret').update(signed).digest('hex')}`,
  );
  expect(Number(headers['x-toolwharf-timestamp'])).toBe(now / 1_000);
});

test('a failed delivery is retried with the same delivery id', async () => {
  const { messages, entries, ask } = await setUp([503, 429, 200]);
  ask();
  await waitFor(() => messages.length === 3);
  expect(new Set(messages.map(({ headers }) => headers['x-toolwharf-delivery'])).size).toBe(1);
  expect(messages[0]?.headers['x-toolwharf-signature']).toBeUndefined();
  expect(entries).toEqual([]);
});

test.each([
  ['a webhook that keeps failing is abandoned after the last attempt', [500], 3, 'it answered 500'],
  ['a webhook that rejects the delivery gets no retry', [401], 1, 'it answered 401'],
  ['a redirect is not followed', [302], 1, 'it answered 302'],
])('%s, with a log entry', async (_title, statuses, attempts, why) => {
  const { messages, entries, ask } = await setUp(statuses);
  ask();
  await waitFor(() => entries.length > 0);
  expect(messages.map(({ path }) => path)).toEqual(Array(attempts).fill('/hook'));
  expect(entries).toMatchObject([{ level: 'warning', event: 'webhook.failed', message: expect.stringContaining(why) }]);
});

test('nothing is sent if the secret is empty, and no log entry contains the secret', async () => {
  const { messages, entries, ask } = await setUp([200], { secret: '${MISSING}' });
  ask();
  await waitFor(() => entries.length > 0);
  expect(messages).toEqual([]);
  expect(entries[0]?.message).toContain('its secret is empty');
});

test('an expired approval is not retried', async () => {
  const { messages, entries, ask } = await setUp([500]);
  ask({ expiresAt: request.askedAt });
  await waitFor(() => entries.length > 0);
  expect(messages).toHaveLength(1);
});

test('deliveries of a caller beyond the limit are dropped, and stopping ends the others silently', async () => {
  const { entries, stop, ask } = await setUp([500], { url: 'http://127.0.0.1:1/' });
  // One runs, two wait.
  for (let count = 0; count < 4; count++) ask();
  await nextTurn();
  expect(entries).toMatchObject([{ event: 'webhook.dropped' }]);
  stop.abort();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(entries).toHaveLength(1);
});

test('a caller with many approvals delays those of others by one delivery at most', async () => {
  const { messages, entries, ask } = await setUp([200]);
  for (let count = 1; count <= 3; count++) ask({ id: `many-${count}` });
  ask({ id: 'other', caller: { id: 'key:2', kind: 'client' } });
  await waitFor(() => messages.length === 4);
  const order = messages.map(({ body }) => JSON.parse(body).approval.id as string);
  expect(order.slice(0, 2).sort()).toEqual(['many-1', 'other']);
  expect(order.slice(2)).toEqual(['many-2', 'many-3']);
  expect(entries).toEqual([]);
});

test('the keys of one person share the deliveries of one caller', async () => {
  const { messages, entries, ask } = await setUp([200]);
  // One runs, two wait, and the fourth is dropped.
  for (let count = 1; count <= 4; count++)
    ask({ id: `many-${count}`, caller: { id: `key:ada-${count}`, kind: 'client' } });
  ask({ id: 'other', caller: { id: 'key:2', kind: 'client' } });
  await waitFor(() => messages.length === 4);
  const order = messages.map(({ body }) => JSON.parse(body).approval.id as string);
  expect(order.slice(0, 2).sort()).toEqual(['many-1', 'other']);
  expect(entries).toMatchObject([{ event: 'webhook.dropped', message: expect.stringContaining('many-4') }]);
});
