import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, chmod, copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../../contract/errors.ts';
import { isObject } from '../../../contract/json.ts';
import { auditKeyFile, readAuditPublicKey } from '../../../gateway/core/storage/audit/open-audited.ts';
import { journalOf, verifyAnchor } from '../../../gateway/core/storage/audit/verify-anchor.ts';
import { findGateway } from '../client/gateway-file.ts';
import {
  hasMasterKey,
  hasStore,
  locateStore,
  type OpenStoreOptions,
  openStore,
  requireStore,
} from '../client/open-store.ts';
import { writeFileAtomically } from '../client/write-file.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UnavailableError, UsageError } from '../errors.ts';
import { oneLine } from '../terminal/format.ts';
import { printDone } from '../terminal/print-table.ts';

export interface BackupOptions extends JsonOption {
  /** False leaves the keys out. */
  readonly keys?: boolean;
}

export interface RestoreOptions extends JsonOption {
  /** Moves the present data aside. */
  readonly replace?: boolean;
}

const database = 'toolwharf.db';
const checkpoints = 'audit-checkpoints.jsonl';
const manifestFile = 'backup.json';
const masterKeys = ['master.key', 'master.salt'];
const keys = [...masterKeys, 'audit.key'];

/** The files of a backup with their hashes. Written last: a backup without it is incomplete. */
interface Manifest {
  readonly createdAt: string;
  readonly files: Readonly<Record<string, string>>;
  /** What a restore needs besides the backup. */
  readonly notes: readonly string[];
}

/** `toolwharf backup DIR`: copies the data of a gateway, which may be running, as it is at one moment, and verifies the copy. */
export async function backup(directory: string, options: BackupOptions, context: CommandContext): Promise<number> {
  const { terminal, cwd } = context;
  const target = resolve(cwd, directory);
  const location = await requireStore(context);
  assertSqlite(location);
  await createEmpty(target);
  const { dataDir, env } = location;
  // Opening the store takes calls that a crash left in the files beside it.
  if (!(await findGateway(dataDir)))
    await (await openStore({ ...location, isKeyless: true, isAudited: false })).storage.close();
  terminal.status('Copying the data …');
  // A checkpoint must not be newer than the journal that it signs.
  for (const name of [checkpoints, ...(options.keys === false ? [] : keys)]) await copyPrivate(dataDir, target, name);
  await copyDatabase(join(dataDir, database), join(target, database));
  terminal.status('Verifying the copy …');
  await verifyCopy(
    { dataDir: target, env },
    (await exists(join(target, 'audit.key'))) || auditKeyFile({ dataDir, ...location.audit }),
  );
  const copied = [database, checkpoints, ...keys];
  for (const name of await readdir(target)) if (!copied.includes(name)) await rm(join(target, name));
  const names = (await readdir(target)).sort();
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await hashFile(join(target, name))] as const)),
  );
  const notes = notesOn(names, location, options);
  const manifest: Manifest = { createdAt: new Date().toISOString(), files, notes };
  await writeFileAtomically(join(target, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
  terminal.status();
  for (const note of notes) terminal.say(note);
  printDone(terminal, options, `The data of ${dataDir} is in ${target}, and the copy is intact`, {
    directory: target,
    ...manifest,
  });
  return exitCodes.ok;
}

/** `toolwharf restore DIR`: puts a backup in the place of the data of a gateway that does not run. Nothing changes if it cannot be used. */
export async function restore(directory: string, options: RestoreOptions, context: CommandContext): Promise<number> {
  const { terminal, cwd } = context;
  const source = resolve(cwd, directory);
  const location = await locateStore(context);
  assertSqlite(location);
  const { dataDir, env } = location;
  const running = await findGateway(dataDir);
  if (running) throw new UnavailableError(`Stop the gateway at ${running.url} (process ${running.pid}) first`);
  const isReplaced = await hasStore({ dataDir });
  if (isReplaced && !options.replace)
    throw new UsageError(`${dataDir} has data already: move it aside with --replace, or choose another --data-dir`);
  const { files, createdAt, notes } = await readManifest(source);
  const names = Object.keys(files);
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const stage = join(dataDir, `restore-${stamp}`);
  await mkdir(stage, { recursive: true, mode: 0o700 });
  try {
    terminal.status('Copying and verifying the backup …');
    for (const name of names) {
      await copyPrivate(source, stage, name);
      if ((await hashFile(join(stage, name))) !== files[name])
        throw new UsageError(`${join(source, name)} is not the file that was backed up: its hash differs`);
    }
    // The key of the data directory may be the one that the backup leaves out.
    for (const name of masterKeys) if (!names.includes(name)) await copyPrivate(dataDir, stage, name);
    if (!(await hasMasterKey({ dataDir: stage, env })))
      throw new UsageError(
        `The backup has no master key. Set TOOLWHARF_KEY, or copy master.key to ${dataDir}, and restore again`,
      );
    await (await openStore({ dataDir: stage, env, isAudited: false })).storage.close();
    const aside = isReplaced ? join(dataDir, `replaced-${stamp}`) : undefined;
    if (aside) {
      await mkdir(aside, { mode: 0o700 });
      const old = (await readdir(dataDir)).filter((name) => name.startsWith(database) || names.includes(name));
      for (const name of old) await rename(join(dataDir, name), join(aside, name));
    }
    // The database comes last: without it, nothing looks restored.
    for (const name of [...names.filter((one) => one !== database), database])
      await rename(join(stage, name), join(dataDir, name));
    terminal.status();
    for (const note of notes) terminal.say(note);
    const kept = aside === undefined ? '' : `; the data before is in ${aside}`;
    printDone(terminal, options, `Restored the backup of ${createdAt} to ${dataDir}${kept}`, {
      createdAt,
      dataDir,
      replaced: aside,
    });
    return exitCodes.ok;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

function assertSqlite({ database: url }: OpenStoreOptions): void {
  if (url === undefined) return;
  throw new UsageError(
    'The data is in PostgreSQL: back it up with pg_dump and restore it with pg_restore, together with the keys (docs/guide/storage.md, "Backups")',
  );
}

async function createEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  if ((await readdir(directory)).length > 0)
    throw new UsageError(`${directory} is not empty: name a new folder for the backup`);
}

/** A copy of one moment: writers do not wait for it, and what they commit meanwhile is not in it. */
async function copyDatabase(file: string, copy: string): Promise<void> {
  // Loaded on demand: other commands need no database.
  const { backup: copyPages, DatabaseSync } = await import('node:sqlite');
  await (await open(copy, 'wx', 0o600)).close();
  using source = new DatabaseSync(file);
  // All pages in one step: a step after a commit of another process would begin anew.
  await copyPages(source, copy, { rate: 2 ** 31 - 1 });
}

/** Copies a file if it exists. Only its owner can read the copy. */
async function copyPrivate(from: string, to: string, name: string): Promise<void> {
  const copy = join(to, name);
  try {
    await copyFile(join(from, name), copy);
    await chmod(copy, 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  }
}

/** Throws if the copy cannot be opened, or its journal is not intact. */
async function verifyCopy(location: Pick<OpenStoreOptions, 'dataDir' | 'env'>, key: string | true): Promise<void> {
  const { dataDir } = location;
  const { storage } = await openStore({ ...location, isKeyless: true, isAudited: false });
  await using store = storage;
  const problems: string[] = [];
  for await (const { seq, detail } of store.audit.verify()) problems.push(`${seq} ${oneLine(detail)}`);
  const keyFile = key === true ? join(dataDir, 'audit.key') : key;
  if ((await exists(join(dataDir, checkpoints))) && (await exists(keyFile))) {
    const publicKey = await readAuditPublicKey(keyFile);
    // Only the master key shows whether stored servers and providers are those that were signed.
    const journal = { ...journalOf(store), uncheckable: ['server', 'provider'] as const };
    for await (const { seq, detail } of verifyAnchor(journal, join(dataDir, checkpoints), publicKey))
      problems.push(`${seq} ${oneLine(detail)}`);
  }
  if (problems.length === 0) return;
  throw new UnavailableError(
    `The journal of the copy is not intact, as \`toolwharf audit verify\` should say of the original too: ${problems.slice(0, 3).join('; ')}`,
  );
}

function notesOn(
  names: readonly string[],
  { dataDir, env, audit }: OpenStoreOptions,
  { keys: withKeys }: BackupOptions,
): string[] {
  const notes: string[] = [];
  const auditKey = auditKeyFile({ dataDir, ...audit });
  if (withKeys === false) notes.push(`The keys are not in the backup: keep ${keys.join(', ')} of ${dataDir} elsewhere`);
  if (env.TOOLWHARF_KEY?.trim())
    notes.push(`The master key is TOOLWHARF_KEY, which is not in the backup: without it, the stored secrets are lost`);
  if (dirname(auditKey) !== dataDir) notes.push(`The audit key ${auditKey} is not in the backup`);
  if (names.includes('master.key'))
    notes.push('The backup contains the keys that open all stored secrets: keep it where only you can read it');
  return notes;
}

async function readManifest(directory: string): Promise<Manifest> {
  const file = join(directory, manifestFile);
  const known = [database, checkpoints, ...keys];
  try {
    const { files, createdAt, notes } = JSON.parse(await readFile(file, 'utf8'));
    const isComplete =
      isObject(files) &&
      typeof files[database] === 'string' &&
      Object.keys(files).every((name) => known.includes(name));
    if (!isComplete || typeof createdAt !== 'string' || !Array.isArray(notes))
      throw new Error('it is not the list of a backup');
    return { files: files as Manifest['files'], createdAt, notes };
  } catch (cause) {
    throw new UsageError(`${directory} is not a complete backup: ${file} can't be read (${messageOf(cause)})`);
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
