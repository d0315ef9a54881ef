import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import type { Storage } from '../../packages/toolwharf/storage/storage.ts';
import { createSqliteWorkspace } from '../storage/kinds.ts';

/** A storage, and copies of it as a new process finds them after the previous one was killed. */
export interface CrashableStorage extends AsyncDisposable {
  readonly storage: Storage;
  crash(): Promise<Storage>;
}

export async function createCrashableStorage(): Promise<CrashableStorage> {
  const workspace = createSqliteWorkspace();
  const storage = await workspace.open();
  const others: Storage[] = [];
  const directories: string[] = [];
  return {
    storage,
    async crash() {
      const copy = mkdtempSync(join(tmpdir(), 'toolwharf-crash-'));
      directories.push(copy);
      cpSync(dirname(workspace.file), copy, { recursive: true });
      const file = join(copy, 'toolwharf.db');
      const opened = await openStorage({ kind: 'sqlite', file, sealer: createSealer(workspace.key) });
      others.push(opened);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      for (const one of [storage, ...others]) await one.close();
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
      workspace[Symbol.dispose]();
    },
  };
}
