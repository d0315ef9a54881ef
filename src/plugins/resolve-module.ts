import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../kernel/json.ts';

/** Finds the main module of an installed package, or of a subpath of it, as an import in a file of the directory would. */
export function resolveModule(specifier: string, directory: string): URL {
  const base = pathToFileURL(join(directory, 'toolwharf.yaml'));
  try {
    return pathToFileURL(createRequire(base).resolve(specifier));
  } catch (cause) {
    // A package that can only be imported has no path for `require`.
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw cause;
    const manifest = findPackageJSON(specifier, base);
    const path = manifest && importPath(specifier, JSON.parse(readFileSync(manifest, 'utf8')));
    if (manifest === undefined || path === undefined) throw cause;
    return pathToFileURL(join(dirname(manifest), path));
  }
}

function importPath(specifier: string, { name, exports }: { name?: unknown; exports?: unknown }): string | undefined {
  const subpath = `.${specifier.slice(String(name).length)}`;
  const isMap = isObject(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  return byCondition(isMap ? (exports as Record<string, unknown>)[subpath] : subpath === '.' ? exports : undefined);
}

/** The path for an import in Node: the first condition that holds decides. */
function byCondition(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isObject(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    const path = ['node', 'import', 'default'].includes(condition) ? byCondition(value) : undefined;
    if (path !== undefined) return path;
  }
  return undefined;
}
