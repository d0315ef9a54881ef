import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One import of one file. `types` is true if it does not exist at run time. */
export interface Import {
  readonly from: string;
  /** A path from the repository root for a local file, otherwise the specifier of a package or built-in module. */
  readonly to: string;
  readonly ours: boolean;
  readonly types: boolean;
}

/** Source files by their path from the repository root. */
export type Sources = ReadonlyMap<string, string>;

/** The repository root. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The content of all files below `directory` that end in one of `endings`. */
export function readSources(directory: string, endings: readonly string[] = ['.ts']): Sources {
  const files = readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.sort().map((file) => [relative(root, file), readFileSync(file, 'utf8')]));
}

/** The folders of `packages` with the sources of the library, the gateway and the command line. */
const sourceFolders = ['contract', 'toolwharf', 'gateway/core', 'gateway/features', 'cli'].map(
  (name) => `packages/${name}`,
);

/** The content of the source files of the library, the gateway and the command line, tests included. */
export function readPackages(endings?: readonly string[]): Sources {
  return new Map(sourceFolders.flatMap((folder) => [...readSources(folder, endings)]));
}

/** Every import of a file: static, re-exported, dynamic, and in type positions. */
export function importsOf(from: string, source: string): Import[] {
  const code = withoutComments(source);
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(({ groups }) => {
      const to = groups?.to ?? '';
      const ours = to.startsWith('.');
      return { from, to: ours ? normalize(join(dirname(from), to)) : to, ours, types: groups?.types !== undefined };
    }),
  );
}

/** Every import of a file and of the files it imports, transitively; type imports only with `types`. */
export function reachedFrom(entry: string, sources: Sources, { types: withTypes = false } = {}): Import[] {
  const reached: Import[] = [];
  const seen = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const imports = importsOf(file, sources.get(file) ?? '').filter(({ types }) => withTypes || !types);
    reached.push(...imports);
    open.push(...imports.filter(({ ours }) => ours).map(({ to }) => to));
  }
  return reached;
}

/** The source files that the package.json of the library publishes. */
export function libraryEntries(): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values<string | { readonly types: string }>(exports)
    .flatMap((entry) => (typeof entry === 'object' ? entry.types : []))
    .map((path) => path.replace('./dist/', 'packages/').replace(/d\.ts$/, 'ts'));
}

/** The files of the library: its entries and everything they import. */
export function libraryFiles(sources: Sources): ReadonlySet<string> {
  const entries = libraryEntries();
  const reached = entries.flatMap((entry) => reachedFrom(entry, sources));
  return new Set([...entries, ...reached.filter(({ ours }) => ours).map(({ to }) => to)]);
}

/** The package a specifier belongs to: `@scope/name/path` → `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The source with its comments blanked out; strings are unchanged. */
export function withoutComments(source: string): string {
  return source.replace(commentOrString, (match) => (/^\/[/*]/.test(match) ? match.replace(/[^\n]/g, ' ') : match));
}

const commentOrString = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

// The names between the keyword and `from` contain no quotes, parentheses or semicolons; a declaration always does.
const patterns = [
  /^[ \t]*(?:import|export)\b(?<types>\s+type\b(?!\s+from\b|\s*,))?[^'"`;()=]*?\bfrom\s*['"](?<to>[^'"]+)['"]/gm,
  /^[ \t]*import\s*['"](?<to>[^'"]+)['"]/gm,
  /\b(?:import|require|import\.meta\.resolve)\(\s*['"`](?<to>[^'"`]+)['"`]/g,
];
