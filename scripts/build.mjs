// Builds the library, the command line, the app and the documentation into an empty dist. `--without-library` builds what `npm start` needs.
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.mjs';

const dist = join(root, 'dist');
const script = (...path) => run(process.execPath, [join(root, ...path)]);

process.exitCode = process.argv.includes('--without-library') ? await buildProgram() : await buildAll();

async function buildAll() {
  rmSync(dist, { recursive: true, force: true });
  // On an error tsc writes nothing, so that an incomplete dist is not taken for a built one.
  const library = (...options) => run('tsc', ['-p', 'tsconfig.library.json', '--noEmitOnError', ...options]);
  // Comments belong in the declarations, which editors show. In the code they would be an eighth of the package.
  const code =
    (await library('--emitDeclarationOnly')) || (await library('--declaration', 'false', '--removeComments'));
  return code || buildProgram();
}

async function buildProgram() {
  const codes = await Promise.all([
    script('scripts', 'build-cli.mjs'),
    script('scripts', 'build-web.mjs'),
    script('site', 'build.ts'),
  ]);
  const code = codes.find((each) => each !== 0) ?? 0;
  if (code === 0) chmodSync(join(dist, 'cli', 'main.js'), 0o755);
  return code;
}
