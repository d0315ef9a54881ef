// `npm run dev`: the gateway from its sources, restarted when one changes, and the app with hot reloading in front of it.
// Arguments go to `toolwharf serve`. Ctrl-C ends both.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import { nodePath, root } from './project.mjs';

const given = process.argv.slice(2);
const { values } = parseArgs({ args: given, options: { port: { type: 'string', default: '7420' } }, strict: false });
process.env.TOOLWHARF_GATEWAY ??= `http://127.0.0.1:${values.port}`;

const main = join(root, 'packages', 'cli', 'main.ts');
// A separate process group: one signal ends Node's watcher and the gateway, and Ctrl-C reaches only this process.
const gateway = spawn(nodePath() ?? process.execPath, ['--watch', '--watch-preserve-output', main, 'serve', ...given], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: true,
});
const app = await createServer({ root: join(root, 'packages', 'web') });

let isStopping = false;
/** Ends both and exits; a second signal ends the gateway at once. */
async function stop(code) {
  killGateway(isStopping ? 'SIGKILL' : 'SIGTERM');
  if (isStopping) return;
  isStopping = true;
  await Promise.all([app.close(), gatewayEnded]);
  process.exit(code);
}

function killGateway(signal) {
  try {
    process.kill(-gateway.pid, signal);
  } catch {
    // It has ended.
  }
}

const gatewayEnded = new Promise((resolve) => {
  gateway.once('exit', resolve);
  gateway.once('error', (cause) => {
    console.error(`The gateway could not be started: ${cause.message}`);
    resolve();
  });
});
void gatewayEnded.then(() => stop(1));
process.on('SIGINT', () => void stop(130));
process.on('SIGTERM', () => void stop(143));

await app.listen();
console.log(`The app, with hot reloading: ${app.resolvedUrls?.local[0] ?? 'see above'}`);
