// Builds the command line into dist/cli: a handful of files instead of hundreds, which is most of what starting it takes.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { build } from 'vite';
import { root } from './project.mjs';

// What every command loads is built in, and what never meets the network. Web server, HTTP client, tokens, drivers and model SDKs stay
// packages: there a fix should not have to wait for us.
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
  'tdigest',
  'typebox',
  'yaml',
  'zod',
];
const outDir = join(root, 'dist', 'cli');

const { output } = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: builtIn },
  build: {
    ssr: true,
    target: 'node22',
    outDir,
    emptyOutDir: true,
    copyPublicDir: false,
    rolldownOptions: {
      input: {
        main: join(root, 'src', 'cli', 'main.ts'),
        'spool-thread': join(root, 'src', 'storage', 'sqlite', 'spool', 'spool-thread.ts'),
      },
      // The same names in every version: what is cached of one is replaced by the next.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
writeFileSync(join(outDir, 'third-party-licences.txt'), licencesOf(output));

/** The licences of the packages whose code is in the files. */
function licencesOf(chunks) {
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
  // A package may have further manifests inside, which have no version.
  while (!isPackage(directory)) directory = dirname(directory);
  return directory;
}

function isPackage(directory) {
  const manifest = join(directory, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined;
}
