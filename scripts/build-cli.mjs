// Bundles the command line into dist/cli: a few files load faster than hundreds.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { bundleProgram } from './bundle-program.mjs';
import { root } from './project.mjs';

// The code that `serve` loads before it answers is in one file per stage, because each file takes time to find and read. A group is
// these modules and all they import, without the groups before it.
const startGroups = [
  ['command-line', 'cli/run-command-line.ts'],
  ['config', 'cli/core/commands/serve/serve.ts'],
  ['toolbox', 'cli/core/client/open-own-tools.ts', 'toolwharf/connections/handshake.ts'],
  ['storage', 'cli/core/client/open-store.ts', 'gateway/core/storage/sqlite/sqlite-engine.ts'],
  ['gateway', 'cli/core/commands/serve/run-gateway.ts'],
].map(([name, ...modules], at, all) => {
  const files = new Set(modules.map((module) => join(root, 'packages', module)));
  return { name, test: (id) => files.has(id), priority: all.length - at };
});
const outDir = join(root, 'dist', 'cli');
rmSync(outDir, { recursive: true, force: true });
const bundle = (modules, outputOptions) => bundleProgram({ modules, outDir, outputOptions });

/** The command line, with the code of its commands in files that are loaded on demand. */
const commandLine = await bundle({ main: 'packages/cli/main.ts' }, { codeSplitting: { groups: startGroups } });
/** The thread of the journal, in one file: what it shared with the command line would be loaded whole in the thread too. */
const thread = await bundle(
  { 'spool-thread': 'packages/gateway/core/storage/sqlite/spool/spool-thread.ts' },
  { codeSplitting: false },
);
/** The process that runs a script, in one file: it may read nothing else. */
const sandbox = await bundle(
  { sandbox: 'packages/toolwharf/features/scripts/sandbox/sandbox-main.ts' },
  { codeSplitting: false },
);
/** The thread that computes embeddings, which loads the package of the model. */
const embeddings = await bundle(
  { 'embedding-worker': 'packages/toolwharf/features/search/embeddings/embedding-worker.ts' },
  { codeSplitting: false },
);
const bundles = [...commandLine, ...thread, ...sandbox, ...embeddings];
writeFileSync(join(outDir, 'third-party-licences.txt'), licencesOf(bundles));

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
  // Manifests inside a package have no version.
  while (!isPackage(directory)) directory = dirname(directory);
  return directory;
}

function isPackage(directory) {
  const manifest = join(directory, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version !== undefined;
}
