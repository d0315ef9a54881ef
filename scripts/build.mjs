// Compiles src into an empty dist, so that nothing of a removed source stays, and builds the command line and the app into it.
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.mjs';

const dist = join(root, 'dist');
const cli = join(dist, 'cli', 'main.js');

rmSync(dist, { recursive: true, force: true });
// With an error nothing is written: half a dist would look like a built one.
process.exitCode = (await run('tsc', ['-p', 'tsconfig.json', '--noEmitOnError'])) || (await finish());

async function finish() {
  // These rooms are no part of the library, and the command line that has them is built in one piece.
  for (const room of ['chat', 'cli', 'gateway']) rmSync(join(dist, room), { recursive: true, force: true });
  for (const script of ['build-cli.mjs', 'build-web.mjs']) {
    const code = await run(process.execPath, [join(root, 'scripts', script)]);
    if (code !== 0) return code;
  }
  chmodSync(cli, 0o755);
  return 0;
}
