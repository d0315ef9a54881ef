// Makes a checkout ready to start and to test: dependencies installed, Node new enough, sources built.
// Does nothing when all of that is so already. `--no-build` leaves out the last.
import { existsSync } from 'node:fs';
import { isBuilt, isInstalled, nodePath, outerEnvironment, root, run } from './project.mjs';

if (!isInstalled()) {
  console.error('Installing the dependencies (npm ci) ...');
  process.exitCode = await install();
}
const node = nodePath();
if (!process.exitCode && node === undefined) {
  console.error(
    `Toolwharf needs Node 22.19 or newer; this is ${process.version} and node_modules has none: install Node 24.`,
  );
  process.exitCode = 1;
}
if (!process.exitCode && !process.argv.includes('--no-build') && !isBuilt()) {
  console.error('Building ...');
  process.exitCode = await run(node, [`${root}/scripts/build.mjs`]);
}

function install() {
  // Without warnings: on an older Node every package would report that it needs the Node that is about to be installed.
  const ci = ['ci', '--include=dev', '--loglevel=error'];
  const env = outerEnvironment();
  const cli = env.npm_execpath;
  // npm names its own program to the scripts it runs, but may itself have been started by the Node it is to replace.
  if (cli?.endsWith('npm-cli.js') && existsSync(cli)) return run('node', [cli, ...ci], { env });
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ci, { env });
}
