import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import type { ProfileConfig } from '../../../contract/settings/config.ts';
import { noTraces } from '../calls/traces.ts';
import { type LegacyPorts, serveRequest } from './legacy.ts';
import type { Responder } from './responder.ts';
import { RpcError } from './rpc.ts';
import { createSerializedCache } from './serialized-cache.ts';
import { elicitationKey } from './server-questions.ts';
import { createSessions } from './sessions.ts';

const client = { caller: { id: 'c', kind: 'client' }, profile: { name: 'default' } as ProfileConfig } as const;

function openSession() {
  const facts = {
    id: 'a',
    caller: 'c',
    profile: 'default',
    protocolVersion: '2025-11-25',
    capabilities: {},
    expiresAt: Number.POSITIVE_INFINITY,
  };
  return createSessions({ onEnd: () => {} }).open(facts);
}

function collect(): Responder & { readonly finished: JsonObject[] } {
  const finished: JsonObject[] = [];
  const signal = new AbortController().signal;
  return { finished, signal, stream: () => undefined, send: () => {}, finish: (message) => finished.push(message) };
}

test('an error that refers the user to a URL records its elicitation, so that the client is notified when it completes', async () => {
  const session = openSession();
  const named = { mode: 'url', elicitationId: 'e1', _meta: { 'toolwharf/server': 'mail' } };
  const data = { elicitations: [{ ...named, url: 'https://example.com', message: 'Sign in' }] };
  const viewFor = () => Promise.reject(new RpcError(-32042, 'Go there', { data }));
  const ports = { viewFor, traces: noTraces } as unknown as LegacyPorts;
  const responder = collect();
  await serveRequest({ id: 0, method: 'tools/list', params: {} }, session, client, responder, ports);
  expect(responder.finished).toMatchObject([{ id: 0, error: { code: -32042, data } }]);
  expect([...session.elicited]).toEqual([elicitationKey('mail', 'e1')]);
});

test('a session that subscribes to a resource several times watches it once, until it unsubscribes', async () => {
  const session = openSession();
  const log: string[] = [];
  const toolbox = {
    resources: {
      async watch(server: string, uri: string) {
        log.push(`watch ${server} ${uri}`);
        return async () => void log.push('end');
      },
    },
  };
  const viewFor = async () => ({ findResource: (uri: string) => ({ server: 'files', uri }) });
  let shared = 0;
  const replicas = { shareState: async () => void shared++ };
  const ports = { toolbox, viewFor, replicas, serialized: createSerializedCache() } as unknown as LegacyPorts;
  const send = async (method: string) => {
    const responder = collect();
    await serveRequest({ id: 1, method, params: { uri: 'memo://one' } }, session, client, responder, ports);
    return responder.finished[0];
  };
  const answers = await Promise.all([send('resources/subscribe'), send('resources/subscribe')]);
  expect(answers).toMatchObject([{ result: {} }, { result: {} }]);
  expect(session.watched.get('memo://one')?.server).toBe('files');
  await send('resources/unsubscribe');
  await send('resources/unsubscribe');
  expect(log).toEqual(['watch files memo://one', 'end']);
  expect(shared).toBeGreaterThan(0);
});

test('a subscription that the server rejects is an error and can be retried', async () => {
  const session = openSession();
  const refuse = () => Promise.reject(new RpcError(-32601, 'no subscriptions here'));
  const ports = {
    toolbox: { resources: { watch: refuse } },
    viewFor: async () => ({ findResource: (uri: string) => ({ server: 'files', uri }) }),
  } as unknown as LegacyPorts;
  const responder = collect();
  const params = { uri: 'memo://one' };
  await serveRequest({ id: 1, method: 'resources/subscribe', params }, session, client, responder, ports);
  expect(responder.finished).toMatchObject([{ error: { code: -32601, message: 'no subscriptions here' } }]);
  expect(session.watched.size).toBe(0);
});
