// Bundles the library into dist/toolwharf: a few files load in half the time of hundreds, and of the packages only what is used.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundleProgram, licencesOf } from './bundle-program.mjs';
import { root } from './project.mjs';

const outDir = join(root, 'dist', 'toolwharf');
const { files } = JSON.parse(readFileSync(join(root, 'tsconfig.library.json'), 'utf8'));
const nameOf = (file) => basename(file, '.ts');
/** Programs of their own, in one file each: the process of a script may read nothing else. */
const programs = { 'sandbox-main': 'sandbox', 'embedding-worker': 'embedding-worker' };
const entries = files.filter((file) => programs[nameOf(file)] === undefined);

mkdirSync(outDir, { recursive: true });
const library = await bundleProgram({
  modules: Object.fromEntries(entries.map((file) => [nameOf(file), file])),
  outDir,
});
const others = [];
for (const file of files.filter((each) => !entries.includes(each))) {
  const modules = { [programs[nameOf(file)]]: file };
  others.push(...(await bundleProgram({ modules, outDir, outputOptions: { codeSplitting: false } })));
}
writeFileSync(join(outDir, 'third-party-licences.txt'), licencesOf([...library, ...others]));
