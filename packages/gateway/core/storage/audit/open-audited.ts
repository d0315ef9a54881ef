import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, ToolwharfError } from '../../../../contract/errors.ts';
import type { JsonObject } from '../../../../contract/json.ts';
import { type Log, silentLog } from '../../../../toolwharf/kernel/log.ts';
import { currentActor, signObject } from '../../../../toolwharf/storage/audit/acts.ts';
import type { Storage } from '../../../../toolwharf/storage/storage.ts';
import { startCheckpoints } from './checkpoints.ts';
import { journalActs } from './journal-acts.ts';

/** The files of the audit key and of the signed checkpoints. */
export interface AuditFiles {
  readonly dataDir: string;
  /** PEM file of the Ed25519 key; `audit.key` in the data directory. */
  readonly key?: string;
  /** A second file that gets every checkpoint. */
  readonly checkpoints?: string;
}

/** The file of the audit key. */
export function auditKeyFile({ dataDir, key }: AuditFiles): string {
  return key ?? join(dataDir, 'audit.key');
}

/** The checkpoints in the data directory. */
export function checkpointsFile(dataDir: string): string {
  return join(dataDir, 'audit-checkpoints.jsonl');
}

/** The same storage, which signs changes of rules, keys and approvals, and writes signed checkpoints until it is closed. */
export async function openAudited(storage: Storage, locations: AuditFiles, log: Log = silentLog): Promise<Storage> {
  const key = await loadAuditKey(auditKeyFile(locations));
  const second = locations.checkpoints === undefined ? [] : [locations.checkpoints];
  const files = [checkpointsFile(locations.dataDir), ...second];
  const checkpoints = await startCheckpoints({ storage, key, files, log });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= checkpoints.close().finally(() => storage.close());
    return closing;
  };
  return { ...journalActs(storage, key), close, [Symbol.asyncDispose]: close };
}

/** Records as signed acts that sealed records are discarded, then discards them. */
export async function discardSecrets(storage: Storage, locations: AuditFiles): Promise<void> {
  const key = await loadAuditKey(auditKeyFile(locations));
  const record = async (act: string, subject: string, details: JsonObject) => {
    const at = new Date().toISOString();
    await storage.audit.record(signObject({ act, subject, hash: undefined, actor: currentActor(), details, at }, key));
  };
  const sealed = await storage.listSealed();
  for (const { kind, id, name } of sealed)
    if (kind === 'server' || kind === 'provider') await record(`${kind}.removed`, `${kind}/${id}`, { name });
  const counts = [...Map.groupBy(sealed, ({ kind }) => kind)].map(([kind, records]) => [kind, records.length]);
  await record('secrets.discarded', 'secrets', Object.fromEntries(counts));
  await storage.discardSealed();
}

/** The public key of a PEM file with the private or the public key. */
export function readAuditPublicKey(file: string): Promise<KeyObject> {
  return parse(file, createPublicKey);
}

/** Loads the Ed25519 key that signs acts and checkpoints; the first start creates it, readable by its owner only. */
async function loadAuditKey(file: string): Promise<KeyObject> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using created = await open(file, 'wx', 0o600);
    const { privateKey } = generateKeyPairSync('ed25519');
    await created.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return privateKey;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(file, cause);
  }
  return parse(file, createPrivateKey);
}

async function parse(file: string, create: (pem: string) => KeyObject): Promise<KeyObject> {
  try {
    const key = create(await readFile(file, 'utf8'));
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('it is not an Ed25519 key');
    return key;
  } catch (cause) {
    throw unusable(file, cause);
  }
}

function unusable(file: string, cause: unknown): ToolwharfError {
  return new ToolwharfError('CONFIG_INVALID', `The audit key ${file} cannot be used: ${messageOf(cause)}`, { cause });
}
