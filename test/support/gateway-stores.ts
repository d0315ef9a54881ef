import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

/** Both kinds of storage, for `describe.each`. PostgreSQL runs as long as the tests of the file. */
export function gatewayStores() {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  const stores: readonly { readonly store: string; readonly open: () => Promise<Storage> }[] = [
    { store: 'SQLite', open: () => openStorage({ kind: 'memory' }) },
    {
      store: 'PostgreSQL',
      open: async () =>
        openStorage({ kind: 'postgres', url: await postgres.createUrl(), sealer: createSealer(randomBytes(32)) }),
    },
  ];
  return { stores, postgres: () => postgres };
}
