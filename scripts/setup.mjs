// Prepares a checkout. By default it installs and builds what `npm start` needs; with `--all` it installs every package,
// for tests and development, and builds nothing. It does nothing that is already done.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  areDocsBuilt,
  countInstalled,
  isBuilt,
  isInstalled,
  nodePath,
  outerEnvironment,
  root,
  run,
} from './project.mjs';

const all = process.argv.includes('--all');
process.exitCode = await setUp();

async function setUp() {
  const code = isInstalled({ dev: all }) ? 0 : await install();
  if (code !== 0) return code;
  const node = nodePath();
  if (node === undefined) {
    console.error(`Toolwharf needs Node 22.19 or later, and this is ${process.version}: install Node 24.`);
    return 1;
  }
  if (all) {
    await installSandbox();
    return 0;
  }
  if (!isBuilt()) return build(node);
  return areDocsBuilt() ? 0 : buildDocs(node);
}

async function install() {
  // No warnings: on Node 20, npm would warn about every package that needs the Node which it is about to install.
  const args = ['ci', all ? '--include=dev' : '--omit=dev', '--loglevel=error', '--no-progress'];
  const what = all ? 'all packages, for development and tests' : 'the packages that running needs';
  console.error(`Installing ${what} (npm ${args.slice(0, 2).join(' ')})`);
  return withProgress(npm(args), () => {
    const { installed, total } = countInstalled({ dev: all });
    if (installed < total) return `${installed} of ${total} packages`;
    return `${total} packages unpacked, npm runs their install scripts and checks them`;
  });
}

/** Installs what the tests of sandboxes need, where that takes no question: as root on Debian. Without it they are skipped. */
async function installSandbox() {
  const folders = (outerEnvironment().PATH ?? '').split(delimiter);
  const isOnPath = (program) => folders.some((folder) => existsSync(join(folder, program)));
  if (
    ['bwrap', 'strace'].every(isOnPath) ||
    process.platform !== 'linux' ||
    process.getuid?.() !== 0 ||
    !existsSync('/etc/debian_version')
  )
    return;
  const env = { ...outerEnvironment(), DEBIAN_FRONTEND: 'noninteractive' };
  const quick = ['-qq', '-o=Acquire::Retries=0', '-o=Acquire::http::Timeout=10', '-o=DPkg::Lock::Timeout=20'];
  const install = ['install', '-y', '--no-install-recommends', 'bubblewrap', 'strace'];
  const apt = (args) =>
    run('apt-get', [...quick, ...args], { env, onOutput() {}, signal: AbortSignal.timeout(60_000) });
  console.error('Installing bubblewrap and strace, for the tests of sandboxes');
  if ((await apt(install)) !== 0 && ((await apt(['update'])) !== 0 || (await apt(install)) !== 0))
    console.error('  could not be installed: the tests of sandboxes are skipped');
}

async function build(node) {
  console.error('Building the command line, the app and the documentation');
  return withProgress(run(node, [join(root, 'scripts', 'build.mjs'), '--without-library']));
}

async function buildDocs(node) {
  console.error('Building the documentation');
  return withProgress(run(node, [join(root, 'site', 'build.ts')]));
}

/** Prints how long the work has taken, and how far it is, until it ends: on one line at a terminal, else every 5 s. */
async function withProgress(work, describe) {
  const { isTTY } = process.stderr;
  const started = Date.now();
  const show = (text, end = '') => process.stderr.write(isTTY ? `\r\x1b[K  ${text}${end}` : `  ${text}\n`);
  const elapsed = () => `${Math.round((Date.now() - started) / 1_000)} s`;
  const timer = setInterval(() => show([describe?.(), elapsed()].filter(Boolean).join(', ')), isTTY ? 250 : 5_000);
  const code = await work;
  clearInterval(timer);
  if (code === 0) show(`done in ${elapsed()}`, '\n');
  return code;
}

function npm(args) {
  const env = outerEnvironment();
  const cli = env.npm_execpath;
  // npm names its own program to its scripts. It may itself run on the Node that it is to replace.
  if (cli?.endsWith('npm-cli.js') && existsSync(cli)) return run('node', [cli, ...args], { env });
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { env });
}
