// Bundles programs that Node runs, as a few files that load faster than hundreds.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { build } from 'vite';
import { contractValues } from './contract-values.ts';
import { root } from './project.mjs';

// Bundled: packages that every command loads, and packages without network access. Web server, HTTP client, tokens, drivers and model
// SDKs stay packages, so that users can update them without a release of Toolwharf.
const builtIn = [
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  '@opentelemetry/api',
  'bintrees',
  'commander',
  'eventsource',
  'eventsource-parser',
  'jsonc-parser',
  'kysely',
  'marked',
  'picocolors',
  'pkce-challenge',
  'prom-client',
  're2js',
  'smol-toml',
  'tdigest',
  'typebox',
  'yaml',
  'zod',
];

/** Bundles the modules, by the names of their files without the extension, into `outDir`. */
export async function bundleProgram({ modules, outDir, outputOptions }) {
  const input = Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, join(root, file)]));
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: builtIn },
    plugins: [contractValues(), withoutValidator(), { name: 'fast-start', enforce: 'post', generateBundle: makeFast }],
    build: {
      ssr: true,
      target: 'node22',
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        input,
        // The same names in every version, so that the compile cache of one version is replaced by the next.
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', comments: false, ...outputOptions },
      },
    },
  });
  return output;
}

/**
 * Leaves out the validator of the MCP SDK, which is half of its code: its client validates results only of calls that it makes itself, and
 * Toolwharf makes them (`connections/sdk-client.ts`).
 */
function withoutValidator() {
  const shims = '@modelcontextprotocol/client/_shims';
  return {
    name: 'toolwharf-without-validator',
    enforce: 'pre',
    resolveId: (id) => (id === shims ? `\0${shims}` : undefined),
    load: (id) =>
      id === `\0${shims}`
        ? 'export const CORS_IS_POSSIBLE = false; export class DefaultJsonSchemaValidator {}'
        : undefined,
  };
}

/** Rewrites the code so that Node loads it faster. */
function makeFast(_options, bundle) {
  for (const chunk of Object.values(bundle)) {
    if (chunk.type === 'chunk') chunk.code = escapeNonAscii(destructureBuiltins(chunk.code));
  }
}

/**
 * Node reads every export of a built-in module that is imported, even those that load further modules when they are read:
 * importing `node:http` loads all of Node's `fetch` and WebSocket.
 */
function destructureBuiltins(code) {
  const builtin = /^import (?:([\w$]+)(?:, )?)?(?:\{([^}]*)\} )? ?from "(node:[\w/]+)";$/gm;
  return code.replace(builtin, (_, whole, names, module) => {
    const pattern = names && `{${names.replaceAll(' as ', ': ')}}`;
    const targets = [whole, pattern].filter(Boolean);
    return targets.map((target) => `const ${target} = process.getBuiltinModule("${module}");`).join(' ');
  });
}

/** V8 stores a text with any other character in twice the memory and reads it more slowly. */
function escapeNonAscii(code) {
  const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  return code.replace(/[^\x00-\x7f]/g, toEscape);
}

/** The licences of the packages whose code is in the files. */
export function licencesOf(chunks) {
  const directories = new Set(chunks.flatMap(({ moduleIds = [] }) => moduleIds.map(packageDirectory)));
  const packages = [...directories]
    .filter((directory) => directory !== undefined)
    .map((directory) => ({ directory, ...JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) }))
    .sort((one, other) => one.name.localeCompare(other.name));
  const texts = packages.map(({ directory, name, version, license, author }) => {
    const file = readdirSync(directory).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
    const text = file ? readFileSync(join(directory, file), 'utf8').trim() : `By ${author?.name ?? author ?? name}`;
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Parts of these packages are in the files of this directory.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function packageDirectory(file) {
  if (!file.includes(`${sep}node_modules${sep}`)) return undefined;
  let directory = dirname(file.replace(/^\0/, '').replace(/\?.*$/, ''));
  // Manifests inside a package have no version.
  while (!isPackage(directory)) directory = dirname(directory);
  return directory;
}

function isPackage(directory) {
  const manifest = join(directory, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined;
}
