import { expect, test } from 'vitest';
import type { JsonObject } from '../../../contract/json.ts';
import { type Fleet, type FleetHandler, noFleet } from '../replicas/fleet.ts';
import type { InputRounds } from './input-rounds.ts';
import { createMcpReplicas, type SessionState } from './replicas.ts';
import { createSessions } from './sessions.ts';

const facts = {
  id: 'one',
  caller: 'ada',
  profile: 'default',
  protocolVersion: '2025-11-25',
  capabilities: {},
  expiresAt: Number.POSITIVE_INFINITY,
};

/** A replica whose requests to others are answered by the test. */
function openReplica() {
  const handlers = new Map<string, FleetHandler>();
  const { promise: found, resolve: answer } = Promise.withResolvers<JsonObject | undefined>();
  const fleet: Fleet = {
    ...noFleet,
    replica: 'here',
    handle: (method, handler) => void handlers.set(method, handler),
    find: async () => {
      const result = await found;
      return result && { replica: 'other', result };
    },
  };
  const sessions = createSessions({ onEnd() {} });
  const replicas = createMcpReplicas({
    fleet,
    sessions,
    inputRounds: {} as InputRounds,
    applyState: async (session, { logLevel }: SessionState) => {
      session.logLevel = logLevel;
    },
  });
  const receive = (method: string, params: JsonObject) =>
    handlers.get(method)?.(params, { from: 'other', signal: new AbortController().signal, send() {} });
  return { sessions, replicas, receive, answer };
}

test('a state that another replica shares while an older one is loaded is kept', async () => {
  const { sessions, replicas, receive, answer } = openReplica();
  const session = sessions.open(facts);
  const loading = replicas.loadState(session);
  await receive('mcp.share-session', { session: 'one', state: { logLevel: 'error', watched: [] } });
  answer({ state: { watched: [] } });
  await loading;
  expect(session.logLevel).toBe('error');
});

test('a replica that is still loading the state of a session does not give it to others', async () => {
  const { sessions, replicas, receive, answer } = openReplica();
  const session = sessions.open(facts);
  const loading = replicas.loadState(session);
  expect(session.loading).toBe(loading);
  expect(await receive('mcp.read-session', { session: 'one' })).toEqual({ state: null });
  answer({ state: { logLevel: 'error', watched: [] } });
  await loading;
  expect(session.loading).toBeUndefined();
  expect(await receive('mcp.read-session', { session: 'one' })).toEqual({ state: { logLevel: 'error', watched: [] } });
});
