import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds the directory of a package as an `import` in a file would: in the `node_modules` of its directory and of all above.
 * Undefined if the package is not installed.
 */
export function findPackage(name: string, importer: string): string | undefined {
  const file = importer.startsWith('file:') ? fileURLToPath(importer) : importer;
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    const candidate = join(directory, 'node_modules', name);
    if (existsSync(candidate)) return realpathSync(candidate);
    if (directory === dirname(directory)) return undefined;
  }
}
