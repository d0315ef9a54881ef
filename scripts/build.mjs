// Builds the library, the command line, the app and the documentation into an empty dist. `--without-library` builds what `npm start` needs.
import { chmodSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, run } from './project.mjs';

const dist = join(root, 'dist');
const script = (...path) => run(process.execPath, [join(root, ...path)]);

process.exitCode = process.argv.includes('--without-library') ? await buildProgram() : await buildAll();

async function buildAll() {
  rmSync(dist, { recursive: true, force: true });
  // On an error tsc writes nothing, so that an incomplete dist is not taken for a built one.
  const code =
    (await run('tsc', ['-p', 'tsconfig.library.json', '--noEmitOnError', '--emitDeclarationOnly'])) ||
    (await script('scripts', 'build-library.mjs'));
  if (code === 0) removeInternalDeclarations();
  return code || buildProgram();
}

/** Removes the declarations that no published entry leads to. They would be a fifth of the package. */
function removeInternalDeclarations() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const queue = Object.values(exports).flatMap(({ types }) => (types ? [join(root, types)] : []));
  const published = new Set(queue);
  for (const file of queue) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from|import) ?\(?['"](\.[^'"]+)\.[jt]s['"]/g)) {
      const imported = `${join(dirname(file), path)}.d.ts`;
      if (!published.has(imported)) queue.push(imported);
      published.add(imported);
    }
  }
  for (const file of globSync('**/*.d.ts', { cwd: dist }))
    if (!published.has(join(dist, file))) rmSync(join(dist, file));
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
