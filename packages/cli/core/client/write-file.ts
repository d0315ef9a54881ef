import { chmod, rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file atomically: readers see the old text or the new one, never a part. Only the owner can read it by default. */
export async function writeFileAtomically(file: string, text: string, mode = 0o600): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { flag: 'wx', mode });
  try {
    // The umask may have removed bits from the mode.
    await chmod(draft, mode);
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}
