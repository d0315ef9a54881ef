import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

let api: TestApi;
const delivered: { readonly approval: { readonly id: string } }[] = [];
const webhook = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  delivered.push(JSON.parse(body));
  response.end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  api = await startApi({
    servers: { files: fixture('legacy') },
    toolbox: { approval: { ask: ['*_add'], expires: '60s' } },
    gateway: { webhook: { url } },
  });
});
afterAll(async () => {
  await api.close();
  webhook.closeAllConnections();
  await new Promise((resolve) => webhook.close(resolve));
});

async function ask(args: object, key?: string) {
  const given = key === undefined ? {} : { key };
  const result = api.post('/api/tools/mcp_files_add/call', { arguments: args }, given);
  const approval = await waitFor(async () => {
    const { approvals } = (await api.get('/api/approvals?status=pending')).body;
    return approvals[0] as { id: string } | undefined;
  });
  return { id: approval?.id ?? '', result };
}

test('edited arguments replace those of the call', async () => {
  const { id, result } = await ask({ a: 1, b: 1 });
  await api.post(`/api/approvals/${id}/answer`, { answer: 'allow', arguments: { a: 40, b: 2 } });
  expect((await result).body.text).toBe('42');
});

test('edited arguments that do not match the schema are rejected, and the approval stays pending [R18]', async () => {
  const { id, result } = await ask({ a: 1, b: 3 });
  const refused = await api.post(`/api/approvals/${id}/answer`, { answer: 'allow', arguments: { a: 'forty' } });
  expect({ status: refused.status, code: refused.body.error.code }).toEqual({ status: 400, code: 'ARGUMENTS_INVALID' });
  await api.post(`/api/approvals/${id}/answer`, { answer: 'allow', arguments: { a: 40, b: 3 } });
  expect((await result).body.text).toBe('43');
});

test('a denial returns its reason', async () => {
  const { id, result } = await ask({ a: 5, b: 5 });
  await api.post(`/api/approvals/${id}/answer`, { answer: 'deny', reason: 'not on a Sunday' });
  const { status, body } = await result;
  expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'CALL_DENIED' });
  expect(body.error.message).toContain('not on a Sunday');
});

test('of several simultaneous answers exactly one is accepted', async () => {
  const { id, result } = await ask({ a: 7, b: 7 });
  const answers = await Promise.all([1, 2, 3].map(() => api.post(`/api/approvals/${id}/answer`, { answer: 'allow' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect((await result).body.text).toBe('14');
});

test('an expired approval is reported as gone, and an unknown one as not found', async () => {
  const { id, result } = await ask({ a: 9, b: 9 });
  await api.storage.approvals.expire(Date.now() + 3_600_000);
  const late = await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' });
  expect(late).toMatchObject({ status: 410, body: { error: { code: 'GONE' } } });
  const { status, body } = await result;
  expect({ status, code: body.error.code }).toEqual({ status: 504, code: 'APPROVAL_EXPIRED' });
  const expired = (await api.get('/api/calls?end=expired')).body.calls;
  expect(expired).toMatchObject([{ originalName: 'add', arguments: { a: 9, b: 9 } }]);
  expect(expired[0].approval).toBeUndefined();
  expect((await api.get('/api/calls/stats')).body.totals).toMatchObject({ expired: 1 });
  expect((await api.post(`/api/approvals/${randomUUID()}/answer`, { answer: 'allow' })).status).toBe(404);
  expect((await api.get(`/api/approvals/${randomUUID()}`)).status).toBe(404);
  expect((await api.post(`/api/approvals/${id}/answer`, { answer: 'maybe' })).status).toBe(400);
});

test('a remembered answer is taken back by whoever may give it, and only once', async () => {
  const member = await api.key(['read', 'call']);
  const { id, result } = await ask({ a: 1, b: 1 });
  expect((await api.delete(`/api/approvals/${id}/remembered`)).status).toBe(400);
  await api.post(`/api/approvals/${id}/answer`, { answer: 'allow', scope: 'tool', audience: 'everyone' });
  // At once: the call may still be about to store the rule.
  expect((await api.delete(`/api/approvals/${id}/remembered`, { key: member })).status).toBe(404);
  expect((await api.delete(`/api/approvals/${id}/remembered`)).status).toBe(204);
  expect((await result).body.text).toBe('2');
  expect((await api.get('/api/rules')).body.rules).toEqual([]);
  const again = await ask({ a: 1, b: 2 });
  await api.post(`/api/approvals/${again.id}/answer`, { answer: 'allow', scope: 'tool', audience: 'everyone' });
  await again.result;
  expect((await api.get(`/api/approvals/${again.id}`)).body.isRemembered).toBe(true);
  expect((await api.delete(`/api/approvals/${again.id}/remembered`)).status).toBe(204);
  expect((await api.get(`/api/approvals/${again.id}`)).body.isRemembered).toBe(false);
  expect((await api.delete(`/api/approvals/${again.id}/remembered`)).status).toBe(404);
});

test('the caller sees its approval but cannot answer it, and other callers do not see it', async () => {
  const [own, other] = [await api.key(['read', 'call']), await api.key(['read', 'call'])];
  const { id, result } = await ask({ a: 2, b: 3 }, own);
  expect((await api.get(`/api/approvals/${id}`, { key: own })).body.arguments).toEqual({ a: 2, b: 3 });
  expect((await api.get('/api/approvals', { key: own })).body.approvals).toHaveLength(1);
  expect((await api.get(`/api/approvals/${id}`, { key: other })).status).toBe(404);
  expect((await api.get('/api/approvals', { key: other })).body.approvals).toEqual([]);
  expect((await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key: own })).status).toBe(403);
  await api.post(`/api/approvals/${id}/answer`, { answer: 'allow' }, { key: api.adminToken });
  const { callId } = (await result).body;
  expect((await api.get(`/api/calls/${callId}`, { key: own })).status).toBe(200);
  expect((await api.get(`/api/calls/${callId}`, { key: other })).status).toBe(404);
  expect((await api.get('/api/calls', { key: other })).body.calls).toEqual([]);
  const { caller } = (await api.get(`/api/calls/${callId}`, { key: own })).body;
  expect((await api.get(`/api/calls?caller=${caller.id}`, { key: other })).body.calls).toEqual([]);
  expect((await api.get(`/api/approvals/${id}`)).body.answeredBy).toBe('Administrator (admin)');
});

test('the webhook received every approval', async () => {
  const { approvals } = (await api.get('/api/approvals')).body;
  await waitFor(() => delivered.length === approvals.length);
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();
  expect(ids(delivered.map(({ approval }) => approval))).toEqual(ids(approvals));
});
