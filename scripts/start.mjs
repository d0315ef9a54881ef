// `npm start`: lists the tools of the configured servers, or of the default ones. Arguments go to the command.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodePath, root } from './project.mjs';

console.error(
  'Toolwharf: this version has no gateway yet; these are the tools of toolwharf.yaml, or of the default servers.',
);
console.error(
  'To go on: `npm run toolwharf -- --help` lists the commands, `npm run toolwharf -- call <tool>` calls one.',
);

const args = [join(root, 'dist', 'cli', 'main.js'), 'tools', ...process.argv.slice(2)];
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
