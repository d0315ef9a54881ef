import { randomBytes } from 'node:crypto';
import { access, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { GatewayConfig } from '../../../contract/settings/gateway-config.ts';
import { openAudited } from '../../../gateway/core/storage/audit/open-audited.ts';
import { loadMasterKey } from '../../../gateway/core/storage/master-key.ts';
import { openStorage } from '../../../gateway/core/storage/open-storage.ts';
import { dataDirectory } from '../../../toolwharf/config/data-directory.ts';
import { findConfigFile } from '../../../toolwharf/config/load-config.ts';
import { openConfig } from '../../../toolwharf/config/open-config.ts';
import { type Environment, resolveReference } from '../../../toolwharf/config/references.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import { createSealer } from '../../../toolwharf/storage/sealer.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
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
  /** Opens the store without the master key, which opens no secrets; false. */
  readonly isKeyless?: boolean;
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
  const { dataDir, database, leaseMs, audit, env, log, expectsCalls, isKeyless = false, isAudited = true } = options;
  if (!options.masterKey && !isKeyless && (await exists(nextKeyFile(dataDir)))) {
    throw new UnavailableError('A master key rotation was interrupted: complete it with `toolwharf secrets rotate`');
  }
  if (log) await warnOfOpenDirectory(dataDir, log);
  const missing = await filterMissing(keyFiles(dataDir));
  const masterKey = options.masterKey ?? (isKeyless ? randomBytes(32) : await loadMasterKey({ env, dataDir }));
  const common = { sealer: createSealer(masterKey), isKeyless, log };
  const opening =
    database === undefined
      ? whenFree(() => openStorage({ kind: 'sqlite', file: databaseFile(dataDir), expectsCalls, ...common }))
      : openStorage({ kind: 'postgres', url: database, leaseMs, ...common });
  const opened = await opening.catch(async (cause) => {
    // A new key or salt that opens nothing would look like the right one.
    if (isWrongKey(cause)) await Promise.all(missing.map((file) => rm(file, { force: true })));
    throw cause;
  });
  if (!isAudited) return { storage: opened, masterKey };
  try {
    return { storage: await openAudited(opened, { dataDir, ...audit }, log), masterKey };
  } catch (cause) {
    await opened.close();
    throw cause;
  }
}

/** Other commands use the file for a moment only: waits for them. */
async function whenFree(open: () => Promise<Storage>): Promise<Storage> {
  const deadline = performance.now() + busyMs;
  for (;;) {
    try {
      return await open();
    } catch (cause) {
      const isInUse = cause instanceof ToolwharfError && 'pid' in cause.data;
      if (!isInUse || performance.now() > deadline) throw cause;
      await sleep(busyPollMs);
    }
  }
}

const busyMs = 3_000;
const busyPollMs = 50;

/** Warns if other users can write to the data directory, and so replace its keys and its database, or can open its files. */
export async function warnOfOpenDirectory(dataDir: string, log: Log): Promise<void> {
  if (process.platform === 'win32') return;
  const mode = await modeOf(dataDir);
  if ((mode & 0o022) !== 0) {
    const octal = (mode & 0o777).toString(8);
    const message = `Other users of this machine can write to the data directory ${dataDir} (mode ${octal}), and so replace its keys and its database: run chmod 700 ${dataDir}`;
    log.warning('data-directory.writable', message, { mode: octal });
    return;
  }
  const canEnter = (mode & 0o011) !== 0;
  const modes = canEnter ? await Promise.all(privateFiles.map((name) => modeOf(join(dataDir, name)))) : [];
  const open = privateFiles.filter((_name, at) => ((modes[at] ?? 0) & 0o077) !== 0);
  if (open.length === 0) return;
  const message = `Other users of this machine can open ${open.join(', ')} in ${dataDir}: run chmod 700 ${dataDir}`;
  log.warning('data-directory.readable', message, { files: open.join(', ') });
}

const privateFiles = ['admin-token', 'audit.key', 'toolwharf.db', 'toolwharf.db-wal'];

/** 0 for a file that does not exist. */
async function modeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mode ?? 0;
}

/** Whether a store could not be opened because its secrets were sealed with another key. */
export function isWrongKey(cause: unknown): boolean {
  return cause instanceof ToolwharfError && cause.data.isWrongKey === true;
}

/** The files of the master key: the key itself, or the salt of a passphrase. */
function keyFiles(dataDir: string): readonly string[] {
  return ['master.key', 'master.salt'].map((name) => join(dataDir, name));
}

/** Whether there is a master key, which may be the wrong one, and no rotation was interrupted. */
export async function hasMasterKey({ dataDir, env }: Pick<OpenStoreOptions, 'dataDir' | 'env'>): Promise<boolean> {
  if (await exists(nextKeyFile(dataDir))) return false;
  return Boolean(env.TOOLWHARF_KEY?.trim()) || exists(join(dataDir, 'master.key'));
}

async function filterMissing(files: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(files.map(exists));
  return files.filter((_, index) => !found[index]);
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
