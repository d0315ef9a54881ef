// Builds everything into an empty dist: the library, the command line and the app.
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.mjs';

const dist = join(root, 'dist');
const script = (name) => [process.execPath, [join(root, 'scripts', name)]];
const steps = [
  // With an error nothing is written: half a dist would look like a built one.
  ['tsc', ['-p', 'tsconfig.library.json', '--noEmitOnError']],
  script('build-cli.mjs'),
  script('build-web.mjs'),
];

rmSync(dist, { recursive: true, force: true });
process.exitCode = await build();

async function build() {
  for (const [command, args] of steps) {
    const code = await run(command, args);
    if (code !== 0) return code;
  }
  chmodSync(join(dist, 'cli', 'main.js'), 0o755);
  return 0;
}
