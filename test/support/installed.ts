import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from './imports.ts';

const run = promisify(execFile);
const repository = resolve(root);

/** The part of a package.json that the tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, string | Record<string, string>>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

/** A packed package. */
export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly bytes: number;
  readonly unpackedBytes: number;
}

/** The manifest of the package in this directory of the repository. */
export function readManifest(directory = ''): Manifest {
  return JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'));
}

/** Packs the built package in `directory`, without building it. */
export async function pack(directory: string, destination: string): Promise<Packed> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = await run('npm', args, { cwd: join(root, directory), env: plainEnv() });
  const [packed] = JSON.parse(stdout) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string }[] },
  ];
  return {
    tarball: join(destination, packed.filename),
    files: packed.files.map(({ path }) => path),
    bytes: packed.size,
    unpackedBytes: packed.unpackedSize,
  };
}

/**
 * Installs a packed package into `project/node_modules` without the network: the tarball and copies of its direct and
 * transitive dependencies from the node_modules of the repository. Nothing else can be imported.
 */
export async function install({ tarball }: Packed, manifest: Manifest, project: string): Promise<void> {
  const target = join(project, 'node_modules', manifest.name);
  mkdirSync(target, { recursive: true });
  await run('tar', ['xzf', tarball, '-C', target, '--strip-components=1']);
  for (const directory of dependencyClosure(manifest))
    cpSync(directory, join(project, relative(root, directory)), {
      recursive: true,
      // The nested node_modules of a package contain dependencies, possibly of other packages. Programs load no
      // source maps, documents and types.
      filter: (path) => basename(path) !== 'node_modules' && !/\.(map|md|[cm]?ts)$/.test(path),
    });
}

/** The installed locations of the dependencies of a package, transitively. */
export function dependencyClosure({ dependencies = {} }: Pick<Manifest, 'dependencies'>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (from: string, { dependencies = {}, peerDependencies = {} }: Partial<Manifest>) => {
    for (const name of Object.keys({ ...peerDependencies, ...dependencies })) {
      const directory = findInstalled(name, from);
      // An optional peer may be missing.
      if (directory === undefined || found.has(directory)) continue;
      found.add(directory);
      visit(directory, JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
    }
  };
  visit(repository, { dependencies });
  return found;
}

function findInstalled(name: string, from: string): string | undefined {
  const candidate = join(from, 'node_modules', name);
  if (existsSync(join(candidate, 'package.json'))) return candidate;
  return from === repository ? undefined : findInstalled(name, join(from, '..'));
}

/** The environment without the settings of an outer npm, of coverage and of the test runner. */
export function plainEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_V8_COVERAGE|NODE_OPTIONS|VITEST)/i.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}
