import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { dataDirectory } from '../../config/data-directory.ts';
import type { GatewayConfig } from '../../config/gateway-config.ts';
import { findConfigFile } from '../../config/load-config.ts';
import { openConfig } from '../../config/open-config.ts';
import { type Environment, resolveReference } from '../../config/references.ts';
import type { Log } from '../../kernel/log.ts';
import { openAudited } from '../../storage/audit/open-audited.ts';
import { loadMasterKey } from '../../storage/master-key.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { createSealer } from '../../storage/sealer.ts';
import type { Storage } from '../../storage/storage.ts';
import type { CommandContext } from '../command-context.ts';
import { UnavailableError, UsageError } from '../errors.ts';
import { createTerminalLog } from '../terminal/terminal-log.ts';

/** The location of the data. */
export interface StoreLocation {
  readonly dataDir: string;
  /** A PostgreSQL URL; if undefined, the SQLite file in the data directory. */
  readonly database?: string;
  /** How long a replica on PostgreSQL may be silent; the default of the storage if undefined. */
  readonly leaseMs?: number;
  /** The audit key and the second place of checkpoints. */
  readonly audit?: GatewayConfig['audit'];
}

export interface OpenStoreOptions extends StoreLocation {
  readonly env: Environment;
  readonly log?: Log;
  /** Replaces the master key of the environment or the data directory. */
  readonly masterKey?: Buffer;
  /** Opens the journal's files at once instead of with the first call; false. */
  readonly expectsCalls?: boolean;
  /** Records administrative acts and writes checkpoints; true. */
  readonly isAudited?: boolean;
}

interface DatabaseOption {
  readonly database?: string;
}

/** Locates the store that the command line and the configuration name; throws if nothing was ever stored there. */
export async function requireStore(context: CommandContext, options: DatabaseOption = {}): Promise<OpenStoreOptions> {
  const location = await locateStore(context, options);
  if (await hasStore(location)) return location;
  // A command that only reads must not create an empty store.
  throw new UnavailableError(
    `No gateway is running and ${location.dataDir} has no data yet: start one with \`toolwharf serve\``,
  );
}

/** Locates the store that the command line and the configuration name, which may not exist yet. */
export async function locateStore(context: CommandContext, options: DatabaseOption = {}): Promise<OpenStoreOptions> {
  const { env, terminal, cwd } = context;
  const file = context.options.config ?? (await findConfigFile(cwd));
  // Without a file, loading the configuration would create the folder of the default servers.
  const { gateway } = file === undefined ? { gateway: {} } : (await openConfig(file, { env })).config;
  const location = toStoreLocation(dataDirectory(env), options, gateway, env);
  return { ...location, env, log: createTerminalLog(terminal, context.options.logLevel) };
}

/** The store named by `--database`, else by `gateway.database`, else the one in the data directory. */
export function toStoreLocation(
  dataDir: string,
  options: DatabaseOption,
  gateway: Partial<Pick<GatewayConfig, 'database' | 'audit' | 'leaseMs'>>,
  env: Environment,
): StoreLocation {
  const written = options.database ?? gateway.database;
  const { audit, leaseMs } = gateway;
  if (written === undefined) return { dataDir, audit };
  const database = resolveReference(written, env, (variable) => {
    throw new UsageError(`gateway.database: the environment variable ${variable} is not set`);
  });
  if (!/^postgres(ql)?:\/\/./.test(database)) {
    throw new UsageError('The database must be a URL such as postgres://user@host/toolwharf');
  }
  return { dataDir, database, leaseMs, audit };
}

/** Opens the store with the current master key, which is created on the first start. */
export async function openStore(options: OpenStoreOptions): Promise<{ storage: Storage; masterKey: Buffer }> {
  const { dataDir, database, leaseMs, audit, env, log, expectsCalls, isAudited = true } = options;
  if (!options.masterKey && (await exists(nextKeyFile(dataDir)))) {
    throw new UnavailableError('A master key rotation was interrupted: complete it with `toolwharf secrets rotate`');
  }
  const masterKey = options.masterKey ?? (await loadMasterKey({ env, dataDir }));
  const common = { sealer: createSealer(masterKey), log };
  const opened =
    database === undefined
      ? await openStorage({ kind: 'sqlite', file: databaseFile(dataDir), expectsCalls, ...common })
      : await openStorage({ kind: 'postgres', url: database, leaseMs, ...common });
  if (!isAudited) return { storage: opened, masterKey };
  try {
    return { storage: await openAudited(opened, { dataDir, ...audit }, log), masterKey };
  } catch (cause) {
    await opened.close();
    throw cause;
  }
}

/** Whether the store exists. */
export async function hasStore({ dataDir, database }: StoreLocation): Promise<boolean> {
  return database !== undefined || (await exists(databaseFile(dataDir)));
}

/** The file that holds a new master key until every secret is encrypted with it. */
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
