import { expect, test } from 'vitest';
import { createTestConnection } from '../../../../../test/support/connect.ts';
import { fixture } from '../../../../../test/support/fixtures.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import { silentLog } from '../../../../toolwharf/kernel/log.ts';
import { createPlacedConnection } from './placed-connection.ts';

test('a server of another replica is seen as connected when its tools are registered', async () => {
  const seen: string[] = [];
  const following = Promise.withResolvers<(item: JsonObject) => void>();
  const registering = Promise.withResolvers<void>();
  const connected = Promise.withResolvers<void>();
  await using local = createTestConnection(fixture('legacy'));
  const connection = createPlacedConnection({
    spec: { ...local.spec, placement: 'single' },
    hooks: {
      onStatus({ state }) {
        seen.push(state);
        if (state === 'connected') connected.resolve();
      },
      async onList(kind) {
        await registering.promise;
        seen.push(kind);
      },
      onNotification: () => {},
    },
    openLocal: () => local,
    fleet: {
      replica: 'here',
      request(_replica, _method, _params, { signal, onItem } = {}) {
        following.resolve((item) => onItem?.(item));
        return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      },
    },
    store: { list: async () => [], take: async () => undefined, release: async () => {} },
    lease: {
      ...{ epoch: 1, durationMs: 1_000, isHeld: () => true, remainingMs: () => 1_000 },
      ...{ renew: async () => {}, onLost: () => {} },
    },
    log: silentLog,
    onLost: () => {},
    onConnect: () => {},
    onDisconnect: () => {},
    isTermInUse: () => false,
    onForward: () => {},
    hint: async () => {},
  });
  const connecting = connection.connect();
  await connection.update({ server: local.spec.name, replica: 'there', term: 1, isHeld: true });
  const send = await following.promise;
  send({ kind: 'tools', list: { items: [], rejected: [], stale: false }, isAnnounced: false });
  send({ status: { state: 'connected', since: new Date().toISOString(), failures: 0 }, stderr: [] });
  registering.resolve();
  await connected.promise;
  expect(seen).toEqual(['connecting', 'tools', 'connected']);
  await connecting;
  await connection.disconnect();
});
