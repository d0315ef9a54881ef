import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwharfError } from '../../kernel/errors.ts';
import { loadMasterKey } from '../../storage/master-key.ts';
import { createSealer } from '../../storage/sealer.ts';
import { findGateway } from '../backend/gateway-file.ts';
import { nextKeyFile, type OpenStoreOptions, openStore } from '../backend/open-store.ts';
import { storeOf } from '../backend/store-of.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { count } from '../terminal/layout.ts';
import { UnavailableError } from '../unavailable-error.ts';
import { UsageError } from '../usage-error.ts';

export interface RotateOptions {
  readonly database?: string;
}

/** `toolwharf secrets rotate`: a new master key, and every secret sealed with it. Goes on where a broken-off change stopped. */
export async function rotateSecrets(options: RotateOptions, context: CommandContext): Promise<number> {
  const { terminal, env } = context;
  const place = await storeOf(context, options);
  const running = await findGateway(place.dataDir);
  if (running) {
    throw new UnavailableError(`A gateway uses the key (${running.url}, process ${running.pid}): stop it first`);
  }
  if (env.TOOLWHARF_KEY) {
    const next = env.TOOLWHARF_NEW_KEY?.trim();
    if (!next) {
      throw new UsageError(
        'The key comes from TOOLWHARF_KEY: give the new one in TOOLWHARF_NEW_KEY (make one with: openssl rand -base64 32)',
      );
    }
    const sealed = await change(place, await loadMasterKey({ env: { TOOLWHARF_KEY: next }, dataDir: place.dataDir }));
    terminal.print(`${count(sealed, 'secret')} sealed with the new key; from now on TOOLWHARF_KEY must be the new one`);
    return exitCodes.ok;
  }
  const next = await readOrMakeNext(place.dataDir);
  const sealed = await change(place, next);
  const file = join(place.dataDir, 'master.key');
  await rename(nextKeyFile(place.dataDir), file);
  terminal.print(`${count(sealed, 'secret')} sealed with the new key in ${file}; back it up`);
  return exitCodes.ok;
}

/** How many secrets were sealed again; none where a change to this key had only to be noted. */
async function change(place: OpenStoreOptions, next: Buffer): Promise<number> {
  const current = await loadMasterKey({ env: place.env, dataDir: place.dataDir });
  try {
    const { storage } = await openStore({ ...place, masterKey: current });
    await using store = storage;
    return await store.reseal(createSealer(next));
  } catch (cause) {
    if (!(cause instanceof ToolwharfError) || cause.code !== 'CONFIG_INVALID') throw cause;
    // It may have been broken off after everything was sealed: then only the new key opens the store.
    const opened = await openStore({ ...place, masterKey: next }).catch(() => undefined);
    if (!opened) throw cause;
    await opened.storage.close();
    return 0;
  }
}

/** The key that a broken-off change was to, or a new one; on disk before anything is sealed with it. */
async function readOrMakeNext(dataDir: string): Promise<Buffer> {
  const file = nextKeyFile(dataDir);
  const begun = await readFile(file, 'utf8').catch(() => undefined);
  if (begun !== undefined) {
    const key = Buffer.from(begun.trim(), 'base64');
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
