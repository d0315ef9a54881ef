// `npm start`: runs the gateway with toolwharf.yaml, or with the default servers. Arguments go to `toolwharf serve`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodePath, root } from './project.mjs';

const args = [join(root, 'dist', 'cli', 'main.js'), 'serve', ...process.argv.slice(2)];
const child = spawn(nodePath() ?? process.execPath, args, { stdio: 'inherit' });

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // At a terminal Ctrl-C reaches the child by itself; twice would mean "at once".
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('error', (cause) => {
  console.error(`toolwharf could not be started: ${cause.message}`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
