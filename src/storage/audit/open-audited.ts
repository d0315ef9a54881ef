import { join } from 'node:path';
import type { Log } from '../../kernel/log.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Storage } from '../storage.ts';
import { loadAuditKey } from './audit-key.ts';
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
