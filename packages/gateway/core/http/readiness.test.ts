import { expect, test } from 'vitest';
import type { ServerInfo } from '../../../toolwharf/servers/server-info.ts';
import { createBoundedNames } from '../../features/telemetry/call-metrics.ts';
import { openStorage } from '../storage/open-storage.ts';
import { createReadiness } from './readiness.ts';

const server = (name: string, state: string, rest: object = {}) =>
  ({ name, enabled: true, required: true, status: { state }, ...rest }) as unknown as ServerInfo;

test('the gateway is ready when the store accepts writes and every required server is connected', async () => {
  let servers = [server('a', 'connected'), server('b', 'degraded'), server('c', 'error', { required: false })];
  const stop = new AbortController();
  const ready = createReadiness({
    toolbox: { servers: { list: () => servers } },
    meta: (await openStorage({ kind: 'memory' })).meta,
    stopping: stop.signal,
  });
  expect(await ready()).toMatchObject({ ready: true, reasons: [] });
  servers = [server('a', 'error'), server('b', 'connecting'), server('c', 'error', { enabled: false })];
  stop.abort();
  expect(await ready()).toMatchObject({
    ready: false,
    reasons: ['The gateway is stopping', "Required server 'a' is error", "Required server 'b' is connecting"],
  });
});

test('a store that rejects writes makes the gateway not ready, and the test write is not repeated for every probe', async () => {
  let writes = 0;
  let isBroken = false;
  let now = 0;
  const meta = {
    ...(await openStorage({ kind: 'memory' })).meta,
    set: async () => {
      writes++;
      if (isBroken) throw new Error('disk full');
    },
  };
  const stopping = new AbortController().signal;
  const ready = createReadiness({
    toolbox: { servers: { list: () => [] } },
    meta,
    stopping,
    storeMs: 100,
    now: () => now,
  });
  for (let n = 0; n < 10; n++) expect((await ready()).ready).toBe(true);
  expect(writes).toBe(1);
  isBroken = true;
  now = 100;
  expect(await ready()).toMatchObject({ ready: false, reasons: ['The store cannot be written'] });
  isBroken = false;
  expect((await ready()).ready).toBe(true);
});

test('a store that does not answer makes the gateway not ready, and gets one test write at a time', async () => {
  const write = Promise.withResolvers<void>();
  let writes = 0;
  const set = () => {
    writes++;
    return write.promise;
  };
  const ready = createReadiness({
    toolbox: { servers: { list: () => [] } },
    meta: { ...(await openStorage({ kind: 'memory' })).meta, set },
    stopping: new AbortController().signal,
    storeWaitMs: 1,
    storeMs: 600_000,
  });
  for (let n = 0; n < 3; n++)
    expect(await ready()).toMatchObject({ ready: false, reasons: ['The store cannot be written'] });
  expect(writes).toBe(1);
  write.resolve();
  await write.promise;
  expect((await ready()).ready).toBe(true);
});

test('label values beyond the limit are counted as "other"', () => {
  const names = createBoundedNames(2);
  expect(['a', 'b', 'c', 'a', 'd'].map((name) => names(name))).toEqual(['a', 'b', 'other', 'a', 'other']);
});
