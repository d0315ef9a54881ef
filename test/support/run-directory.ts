import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { cliProgram } from './cli-program.ts';

/**
 * Gives the run one directory for all temporary files of its tests, and removes it at the end: also what a test that
 * failed or a worker that was killed has left there.
 */
export default function createRunDirectory(): () => void {
  const { TMPDIR: before, PATH: path } = process.env;
  // A short name: some sockets and terminals have little room for paths.
  const directory = mkdtempSync(join(tmpdir(), 'tw-'));
  // Postgres runs as another user if the tests run as root.
  chmodSync(directory, 0o711);
  process.env.TMPDIR = directory;
  // The command line is on PATH as if it were installed, so that its hints say `toolwharf`.
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  symlinkSync(cliProgram, join(bin, 'toolwharf'));
  process.env.PATH = [bin, path].filter(Boolean).join(delimiter);
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.once('exit', remove);
  const end = () => process.exit(143);
  process.once('SIGTERM', end);
  return () => {
    process.off('exit', remove);
    process.off('SIGTERM', end);
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    process.env.PATH = path;
    remove();
  };
}
