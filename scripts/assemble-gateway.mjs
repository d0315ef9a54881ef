// Copies the command line, the app and the documentation into packages/gateway, from where npm packs them. Installs and builds first what is
// missing, unless `--no-build` is given.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.mjs';

const target = join(root, 'packages', 'gateway');

const code = process.argv.includes('--no-build')
  ? 0
  : await run(process.execPath, [join(root, 'scripts', 'setup.mjs')]);
if (code === 0) {
  rmSync(join(target, 'dist'), { recursive: true, force: true });
  for (const path of [join('dist', 'cli'), join('dist', 'web'), join('dist', 'docs'), 'LICENSE'])
    cpSync(join(root, path), join(target, path), { recursive: true });
}
process.exitCode = code;
