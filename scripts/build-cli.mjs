// Bundles the command line into dist/cli: a few files load faster than hundreds.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleProgram, licencesOf } from './bundle-program.mjs';
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
