// Facts about this checkout. Plain JavaScript for Node 18 and later, without dependencies: it runs before the installation.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { setPriority } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root directory. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Programs of the tests, bundled. As deep as dist/cli: their code finds the root from there. */
export const testProgramsDirectory = join(root, 'node_modules', '.test-programs');

const bin = join(root, 'node_modules', '.bin');
const minimum = [22, 19];

/** The environment in which `node` and the tools of `node_modules/.bin` are the project's own. */
export const toolEnvironment = () => ({ ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` });

/** The environment without `node_modules/.bin`, for npm, which replaces that directory. */
export function outerEnvironment() {
  const outer = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.endsWith(join('node_modules', '.bin')));
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_config_(workspaces?|global|omit|location)$/i.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: outer.join(delimiter) };
}

/** Whether every package that package-lock.json requires is installed in the version it names; `dev` includes development packages. */
export function isInstalled({ dev }) {
  const installed = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  return requiredPackages({ dev }).every(([path, { version, integrity, optional, devOptional }]) => {
    const found = installed[path];
    if (found === undefined) return Boolean(optional || devOptional);
    return found.version === version && found.integrity === integrity && existsSync(join(root, path));
  });
}

/** Counts the required packages whose files are in place, while npm installs them. */
export function countInstalled({ dev }) {
  const required = requiredPackages({ dev }).filter(([, { optional, devOptional }]) => !optional && !devOptional);
  const installed = required.filter(([path]) => existsSync(join(root, path, 'package.json')));
  return { installed: installed.length, total: required.length };
}

/** The Node to run the project with: the installed one, else the running one; undefined when both are too old. */
export function nodePath() {
  const own = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const { status, stdout } = spawnSync(own, ['--version'], { encoding: 'utf8' });
  if (status === 0 && isRecent(stdout)) return own;
  return isRecent(process.version) ? process.execPath : undefined;
}

/** Whether dist has the command line and the app, and no source is newer. */
export function isBuilt() {
  const sources = ['contract', 'toolwharf', 'gateway/core', 'gateway/features', 'cli', 'web/src', 'web/public'].map(
    (name) => join('packages', name),
  );
  const files = ['tsconfig.json', join('packages', 'web', 'index.html'), join('packages', 'web', 'vite.config.ts')];
  return isNewer([join('cli', 'main.js'), join('web', 'index.html')], files, sources);
}

/** Whether dist has the documentation, and no page is newer. */
export function areDocsBuilt() {
  return isNewer([join('docs', 'index.html')], ['CHANGELOG.md', 'package.json'], ['docs', 'site']);
}

/** Whether the built files exist and no source is newer. Directories count too, so that a removed source is noticed. */
function isNewer(built, files, directories) {
  const results = built.map((file) => join(root, 'dist', file));
  if (!results.every((file) => existsSync(file))) return false;
  const sources = [
    ...files.map((file) => join(root, file)),
    ...directories.flatMap((directory) => entriesBelow(join(root, directory))),
  ];
  const newest = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  return results.every((file) => statSync(file).mtimeMs >= newest);
}

/**
 * Runs a command and returns its exit code. Its output goes to `onOutput` if given, else to the output of this process. Signals are
 * forwarded. `signal` ends it; `priority` is one of the operating system.
 */
export function run(command, args, { env = toolEnvironment(), onOutput, signal, priority } = {}) {
  // A separate process group, so that signals reach the children of a tool too.
  const child = spawn(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', ...(onOutput ? ['pipe', 'pipe'] : ['inherit', 'inherit'])],
    detached: sep === '/',
  });
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);
  const stop = (signal) => {
    try {
      process.kill(sep === '/' ? -child.pid : child.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  const onSignal = (signal) => {
    stop(signal);
    setTimeout(stop, 5_000, 'SIGKILL').unref();
    child.once('exit', () => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const onAbort = () => {
    stop('SIGTERM');
    setTimeout(stop, 5_000, 'SIGKILL').unref();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  if (priority !== undefined && child.pid !== undefined) setPriorityOf(child.pid, priority);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // With pipes, `close` follows the last output.
    child.once(onOutput ? 'close' : 'exit', (code) => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      signal?.removeEventListener('abort', onAbort);
      resolve(code ?? 1);
    });
  });
}

function setPriorityOf(pid, priority) {
  try {
    setPriority(pid, priority);
  } catch {
    // The process has already ended, or the system does not allow it.
  }
}

function requiredPackages({ dev }) {
  const packages = Object.entries(packagesIn(join(root, 'package-lock.json'))).filter(([path]) => path !== '');
  return dev ? packages : packages.filter(([, entry]) => !entry.dev && !entry.devOptional);
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

function isRecent(version) {
  const [major, minor] = version.replace('v', '').split('.').map(Number);
  return major > minimum[0] || (major === minimum[0] && minor >= minimum[1]);
}

function entriesBelow(directory) {
  const below = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? entriesBelow(path) : [path];
  });
  return [directory, ...below];
}
