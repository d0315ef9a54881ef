import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayConfig } from '../../config/config.ts';
import { resolveReference } from '../../config/references.ts';
import type { Log } from '../../kernel/log.ts';
import { loadMasterKey } from '../../storage/master-key.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { createSealer } from '../../storage/sealer.ts';
import type { Storage } from '../../storage/storage.ts';
import { UnavailableError } from '../unavailable-error.ts';
import { UsageError } from '../usage-error.ts';

export interface StorePlace {
  readonly dataDir: string;
  /** A PostgreSQL URL; otherwise the SQLite file of the data directory. */
  readonly database?: string;
}

export interface OpenStoreOptions extends StorePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log?: Log;
  /** Instead of the master key of the environment or the data directory. */
  readonly masterKey?: Buffer;
}

/** Where things are kept: as the command line says, else the configuration, else in the data directory. */
export function storePlace(
  dataDir: string,
  options: { readonly database?: string },
  gateway: Pick<GatewayConfig, 'database'>,
  env: OpenStoreOptions['env'],
): StorePlace {
  const written = options.database ?? gateway.database;
  if (written === undefined) return { dataDir };
  const database = resolveReference(written, env, (variable) => {
    throw new UsageError(`gateway.database: the environment variable ${variable} is not set`);
  });
  if (!/^postgres(ql)?:\/\/./.test(database)) {
    throw new UsageError('The database must be a URL such as postgres://user@host/toolwharf');
  }
  return { dataDir, database };
}

/** Opens the store with the master key that is in use, which is made on the first start. */
export async function openStore(options: OpenStoreOptions): Promise<{ storage: Storage; masterKey: Buffer }> {
  const { dataDir, database, env, log } = options;
  if (!options.masterKey && (await exists(nextKeyFile(dataDir)))) {
    throw new UnavailableError('A change of the master key was begun: finish it with `toolwharf secrets rotate`');
  }
  const masterKey = options.masterKey ?? (await loadMasterKey({ env, dataDir }));
  const common = { sealer: createSealer(masterKey), ...(log && { log }) };
  const storage =
    database === undefined
      ? await openStorage({ kind: 'sqlite', file: databaseFile(dataDir), ...common })
      : await openStorage({ kind: 'postgres', url: database, ...common });
  return { storage, masterKey };
}

/** Whether anything was ever kept there. */
export async function hasStore({ dataDir, database }: StorePlace): Promise<boolean> {
  return database !== undefined || (await exists(databaseFile(dataDir)));
}

/** Throws where nothing was ever kept: a command that only reads should not make an empty store. */
export async function expectStore(place: StorePlace): Promise<void> {
  if (await hasStore(place)) return;
  throw new UnavailableError(
    `Nothing is kept in ${place.dataDir} yet: \`toolwharf serve\` makes the store on its first start`,
  );
}

/** Where a new master key waits until everything is sealed with it. */
export function nextKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key.next');
}

function databaseFile(dataDir: string): string {
  return join(dataDir, 'toolwharf.db');
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
