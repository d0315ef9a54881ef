import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of a program that tests start: its source, or if an environment variable names their directory, its bundle
 * (`scripts/build-test-programs.mjs`), which starts in a third of the processor time.
 */
export function testProgram(source: URL): string {
  const path = fileURLToPath(source);
  const bundles = process.env.TOOLWHARF_TEST_PROGRAMS;
  return bundles ? join(bundles, basename(path).replace(/\.ts$/, '.js')) : path;
}
