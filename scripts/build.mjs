// Compiles src into an empty dist, so that nothing of a removed source stays, and builds the app into it.
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.mjs';

const dist = join(root, 'dist');
const cli = join(dist, 'cli', 'main.js');

rmSync(dist, { recursive: true, force: true });
// With an error nothing is written: half a dist would look like a built one.
const code = await run('tsc', ['-p', 'tsconfig.json', '--noEmitOnError']);
if (code === 0 && existsSync(cli)) chmodSync(cli, 0o755);
process.exitCode = code || (await run(process.execPath, [join(root, 'scripts', 'build-web.mjs')]));
