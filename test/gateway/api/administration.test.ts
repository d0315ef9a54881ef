import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAdministration } from '../../../packages/contract/rights.ts';
import { actDetails } from '../../../packages/gateway/core/rest/record-act.ts';
import { openStorage } from '../../../packages/gateway/core/storage/open-storage.ts';
import { allRoutes } from '../../../packages/gateway/features/all-routes.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { fixture } from '../../support/fixtures.ts';
import { waitFor } from '../../support/wait-for.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ servers: { s: fixture('legacy') }, toolbox: { approval: { ask: ['s/add'] } } });
});
afterAll(() => api.close());

interface Act {
  readonly originalName: string;
  readonly status: string;
}

const acts = async (): Promise<Act[]> => (await api.get('/api/calls?kind=administration')).body.calls;
const admin = () => ({ key: api.adminToken });

test('keys, servers, approvals, rules and sign-ins are recorded with the person and without secrets', async () => {
  const key = await api.post('/api/keys', { name: 'robot', rights: ['call'] }, admin());
  await api.delete(`/api/keys/${key.body.id}`, admin());
  const remote = {
    name: 'remote',
    transport: 'http',
    url: 'http://127.0.0.1:9/mcp',
    authentication: { type: 'bearer', token: 'SECRET-TOKEN' },
    enabled: false,
  };
  expect((await api.post('/api/servers', remote, admin())).status).toBe(201);
  await api.delete('/api/servers/remote', admin());
  const calling = api.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 1 } });
  const asked = await waitFor(async () => (await api.get('/api/approvals?status=pending')).body.approvals[0]);
  const answer = { answer: 'allow', scope: 'tool', audience: 'everyone' };
  await api.post(`/api/approvals/${asked.id}/answer`, answer, admin());
  await calling;
  const [rule] = (await api.get('/api/rules')).body.rules;
  await api.delete(`/api/rules/${rule.id}`, admin());
  await api.post('/api/session', undefined, admin());
  expect((await api.delete('/api/rules/none', admin())).status).toBe(404);

  const recorded = await acts();
  expect(recorded.reverse()).toMatchObject([
    { originalName: 'createKey', arguments: { name: 'robot', rights: ['call'] }, status: 'success' },
    { originalName: 'revokeKey', arguments: { key: key.body.id } },
    { originalName: 'addServer', arguments: { name: 'remote', transport: 'http' } },
    { originalName: 'removeServer', arguments: { server: 'remote' } },
    { originalName: 'answerApproval', arguments: { approval: asked.id, ...answer } },
    { originalName: 'revokeRule', arguments: { rule: rule.id } },
    { originalName: 'openSession' },
    { originalName: 'revokeRule', status: 'error', error: { code: 'NOT_FOUND' } },
  ]);
  for (const act of recorded) expect(act).toMatchObject({ kind: 'administration', caller: { id: 'admin' } });
  const text = JSON.stringify(await api.storage.journal.list());
  expect(text).not.toContain('SECRET-TOKEN');
  expect(text).not.toContain(key.body.key);
});

test('acts are not listed among the calls, and callers without rights see none', async () => {
  await api.post('/api/keys', { name: 'other', rights: ['read'] }, admin());
  const { calls } = (await api.get('/api/calls')).body;
  expect(calls.filter(({ kind }: { kind?: string }) => kind === 'administration')).toEqual([]);
  const key = await api.key(['read', 'call']);
  expect((await api.get('/api/calls?kind=administration', { key })).body.calls).toEqual([]);
});

test('requests without an identity are not recorded', async () => {
  await using locked = await startApi({ servers: {}, gateway: { requireAuthentication: true } });
  expect((await locked.post('/api/session')).status).toBe(401);
  expect((await locked.post('/api/keys', { name: 'x', rights: ['admin'] })).status).toBe(401);
  expect(await locked.storage.journal.list()).toEqual([]);
});

test('an act that cannot be recorded is not carried out', async () => {
  const storage = await openStorage({ kind: 'memory' });
  const write = async () => {
    throw new Error('disk full');
  };
  await using broken = await startApi(
    { servers: {} },
    { storage: { ...storage, journal: { ...storage.journal, write } } },
  );
  const { status, body } = await broken.post('/api/keys', { name: 'x', rights: ['read'] }, { key: broken.adminToken });
  expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'JOURNAL_UNAVAILABLE' });
  expect(await storage.keys.list()).toEqual([]);
});

test('only requests that change or start something are recorded', () => {
  const request = { params: {}, body: {} };
  const recorded = allRoutes.filter((route) => actDetails(route, request)).map(({ operationId }) => operationId);
  const changesNothing = new Set([
    'importServers',
    'planRegistryServer',
    'previewProfile',
    'replayPolicy',
    'tryCondition',
  ]);
  const administering = allRoutes.filter(
    ({ right, method, operationId }) => isAdministration(right) && method !== 'get' && !changesNothing.has(operationId),
  );
  const ofPeople = [
    'forgetAnswer',
    'answerApproval',
    'closeSession',
    'openSession',
    'createKey',
    'revokeKey',
    'requestElevation',
    'endElevation',
  ];
  const ofOwners = ['connectAccount', 'changeAccount', 'disconnectAccount'];
  expect(recorded.sort()).toEqual(
    [...administering.map(({ operationId }) => operationId), ...ofPeople, ...ofOwners].sort(),
  );
});
