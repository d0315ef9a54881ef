import { randomBytes } from 'node:crypto';
import { access, chmod, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwharfError } from '../../../contract/errors.ts';
import { discardSecrets } from '../../../gateway/core/storage/audit/open-audited.ts';
import { loadMasterKey } from '../../../gateway/core/storage/master-key.ts';
import { createSealer } from '../../../toolwharf/storage/sealer.ts';
import { findGateway } from '../client/gateway-file.ts';
import {
  hasMasterKey,
  isWrongKey,
  nextKeyFile,
  type OpenStoreOptions,
  openStore,
  requireStore,
} from '../client/open-store.ts';
import type { CommandContext, JsonOption } from '../command-context.ts';
import { exitCodes, UnavailableError, UsageError } from '../errors.ts';
import { confirm } from '../terminal/confirm.ts';
import { count, oneLine } from '../terminal/format.ts';
import { printDone } from '../terminal/print-table.ts';

export interface RotateOptions extends JsonOption {
  readonly database?: string;
}

/** `toolwharf secrets rotate`: encrypts every secret with a new master key. Completes a rotation that was interrupted. */
export async function rotateSecrets(options: RotateOptions, context: CommandContext): Promise<number> {
  const { terminal, env } = context;
  const store = await requireStore(context, options);
  const running = await findGateway(store.dataDir);
  if (running) {
    throw new UnavailableError(
      `Stop the gateway at ${running.url} (process ${running.pid}) first: it uses the current key`,
    );
  }
  if (env.TOOLWHARF_KEY) {
    const next = env.TOOLWHARF_NEW_KEY?.trim();
    if (!next) {
      throw new UsageError(
        'The master key comes from TOOLWHARF_KEY: set TOOLWHARF_NEW_KEY to the new one (create one with: openssl rand -base64 32)',
      );
    }
    const sealed = await reseal(store, await loadMasterKey({ env: { TOOLWHARF_KEY: next }, dataDir: store.dataDir }));
    printDone(terminal, options, `Encrypted ${count(sealed, 'secret')} with the new key; now set TOOLWHARF_KEY to it`, {
      secrets: sealed,
    });
    return exitCodes.ok;
  }
  const isContinued = await isRotating(store);
  if (!isContinued && !(await hasMasterKey(store))) {
    const remedy = 'restore it from a backup, or remove what it sealed with `toolwharf secrets discard`';
    throw new UsageError(`${store.dataDir} has no master.key: ${remedy}`);
  }
  const sealed = await reseal(store, await readOrCreateNextKey(store.dataDir)).catch(async (cause) => {
    // The next start would wait for the end of a rotation that has not begun.
    if (!isContinued && isWrongKey(cause)) await rm(nextKeyFile(store.dataDir), { force: true });
    throw cause;
  });
  const file = join(store.dataDir, 'master.key');
  await rename(nextKeyFile(store.dataDir), file);
  const sentence = `Encrypted ${count(sealed, 'secret')} with the new key in ${file}; back it up`;
  printDone(terminal, options, sentence, { secrets: sealed, keyFile: file });
  return exitCodes.ok;
}

export interface DiscardOptions extends JsonOption {
  readonly database?: string;
  readonly yes?: boolean;
}

/** `toolwharf secrets discard`: removes what only a lost master key opens, so that the gateway starts with a new one. */
export async function discardStoredSecrets(options: DiscardOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const location = await requireStore(context, options);
  const running = await findGateway(location.dataDir);
  if (running) throw new UnavailableError(`Stop the gateway at ${running.url} (process ${running.pid}) first`);
  if (await opensWithKey(location))
    throw new UsageError('The master key opens the stored secrets: nothing has to be discarded');
  await using storage = (await openStore({ ...location, isKeyless: true, isAudited: false })).storage;
  const sealed = await storage.listSealed();
  if (!options.json) {
    terminal.print(`These ${count(sealed.length, 'record')} can only be opened with the lost master key:`);
    for (const { kind, name } of sealed) terminal.print(`  ${kind}  ${oneLine(name)}`);
  }
  if (!options.yes) {
    if (!terminal.canAsk) throw new UsageError('Nothing was discarded: confirm with --yes');
    const isSure = await confirm(terminal, 'Discard them for good?', { signal, fallback: false });
    if (!isSure) {
      terminal.print('Nothing was discarded.');
      return exitCodes.problem;
    }
  }
  await discardSecrets(storage, { dataDir: location.dataDir, ...location.audit });
  for (const file of [join(location.dataDir, 'master.key'), nextKeyFile(location.dataDir)])
    await rename(file, `${file}.discarded`).catch(() => {});
  const sentence = `Discarded ${count(sealed.length, 'record')}; the next start of the gateway uses a new master key`;
  printDone(terminal, options, sentence, { discarded: sealed.map(({ kind, name }) => ({ kind, name })) });
  return exitCodes.ok;
}

/** Whether the current key, or that of an interrupted rotation, opens the store. */
async function opensWithKey(location: OpenStoreOptions): Promise<boolean> {
  if (!(await isRotating(location)) && !(await hasMasterKey(location))) return false;
  try {
    const masterKey = await loadMasterKey({ env: location.env, dataDir: location.dataDir });
    await (await openStore({ ...location, masterKey, isAudited: false })).storage.close();
    return true;
  } catch (cause) {
    if (cause instanceof ToolwharfError && cause.code === 'CONFIG_INVALID') return false;
    throw cause;
  }
}

/** Whether a rotation was interrupted. */
function isRotating({ dataDir }: OpenStoreOptions): Promise<boolean> {
  return access(nextKeyFile(dataDir)).then(
    () => true,
    () => false,
  );
}

/** Encrypts the secrets with the new key; returns how many. */
async function reseal(location: OpenStoreOptions, next: Buffer): Promise<number> {
  const current = await loadMasterKey({ env: location.env, dataDir: location.dataDir });
  try {
    const { storage } = await openStore({ ...location, masterKey: current });
    await using store = storage;
    return await store.reseal(createSealer(next));
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || cause.code !== 'CONFIG_INVALID') throw cause;
    // An earlier rotation may have been interrupted after the last secret: then only the new key opens the store.
    const opened = await openStore({ ...location, masterKey: next }).catch(() => undefined);
    if (!opened) throw cause;
    await opened.storage.close();
    return 0;
  }
}

/** The key of an interrupted rotation, or a new one. It is on disk before anything is encrypted with it. */
async function readOrCreateNextKey(dataDir: string): Promise<Buffer> {
  const file = nextKeyFile(dataDir);
  const saved = await readFile(file, 'utf8').catch(() => undefined);
  if (saved !== undefined) {
    const key = Buffer.from(saved.trim(), 'base64');
    if (key.length === 32) {
      await chmod(file, 0o600);
      return key;
    }
  }
  const key = randomBytes(32);
  const handle = await open(file, 'w', 0o600);
  try {
    await handle.writeFile(`${key.toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return key;
}
