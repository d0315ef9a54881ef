import { execFile } from 'node:child_process';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../../contract/errors.ts';
import { expandPath, type SandboxProfile } from './profile.ts';
import { findLink } from './program-files.ts';

const run = promisify(execFile);

/** What of the machine every program may read. */
export const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
export const systemFiles = [
  ...[
    '/usr',
    '/nix/store',
    '/etc/alternatives',
    '/etc/ssl',
    '/etc/pki',
    '/etc/ca-certificates',
    '/etc/crypto-policies',
  ],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime', '/etc/timezone', '/etc/mime.types'],
  ...[
    '/etc/nsswitch.conf',
    '/etc/passwd',
    '/etc/group',
    '/etc/hosts',
    '/etc/host.conf',
    '/etc/gai.conf',
    '/etc/protocols',
  ],
  ...['/etc/services', '/etc/os-release', '/etc/debian_version', '/etc/fonts', '/etc/magic', '/etc/terminfo'],
];

const temporaryBytes = 512 * 1024 * 1024;

export interface SandboxFiles {
  readonly profile: SandboxProfile;
  /** What the program itself consists of. */
  readonly programFiles: readonly string[];
  /** Shows the whole machine, as far as the user of Toolwharf may use it. */
  readonly showsAll: boolean;
  /** The first file of the wrapped program is a filter of system calls. */
  readonly filtersCalls: boolean;
  readonly home: string;
  readonly cwd: string;
  /** The data directory of Toolwharf, which no sandbox shows. */
  readonly dataDir: string;
  /** A directory in it, which belongs to the server and outlives its processes. */
  readonly kept: string;
}

/** The arguments of bubblewrap in front of the program. Throws if a path of the profile cannot be shown safely. */
export async function toBubblewrapArguments(files: SandboxFiles): Promise<readonly string[]> {
  const { home, kept, cwd, showsAll, profile, filtersCalls } = files;
  const dataDir = await realpath(files.dataDir);
  const readsAll = profile.read.includes('/');
  const mounts = showsAll ? [] : await toMounts({ ...files, dataDir });
  const shown = showsAll ? [{ path: '/', real: '/' }] : mounts;
  const hidden = shown.filter(({ real }) => isWithin(dataDir, real));
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent'],
    // Those of root in its own namespace could undo mounts.
    ...['--cap-drop', 'ALL'],
    ...(filtersCalls ? ['--seccomp', `${firstFile}`] : []),
    ...(showsAll ? ['--bind', '/', '/'] : readsAll ? ['--ro-bind', '/', '/'] : await showSystem()),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...(await protectKernel(showsAll)),
    // Sockets of other programs are in these directories.
    ...(showsAll ? [] : [...temporary('/tmp'), ...temporary('/run')]),
    ...(showsAll || readsAll ? [] : [...temporary(home), '--dir', cwd]),
    ...mounts.flatMap(({ path, isWritable }) => [isWritable ? '--bind' : '--ro-bind', path, path]),
    ...hidden.flatMap(({ path, real }) => ['--tmpfs', join(path, relative(real, dataDir))]),
    ...['--bind', kept, kept],
    ...['--chdir', cwd],
  ];
}

/** The descriptor of the first file of a wrapped program. */
const firstFile = 4;

const kernelSettings = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/mtrr'];
const kernelFacts = ['/proc/acpi', '/proc/asound', '/proc/driver', '/proc/scsi'];
const kernelSecrets = ['/proc/kcore', '/proc/keys', '/proc/key-users', '/proc/latency_stats', '/proc/timer_list'];

/** The kernel judges by the user whether its settings may be changed, so that root could do it without capabilities. */
async function protectKernel(showsAll: boolean): Promise<readonly string[]> {
  const existing = async (paths: readonly string[]) => {
    const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
    return paths.filter((_, index) => found[index] !== undefined);
  };
  const readOnly = await existing([...kernelSettings, ...(showsAll ? ['/sys'] : [])]);
  return [
    ...readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...(await existing(kernelFacts)).flatMap((path) => ['--tmpfs', path]),
    ...(await existing(kernelSecrets)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

function temporary(path: string): readonly string[] {
  return ['--size', `${temporaryBytes}`, '--tmpfs', path];
}

interface Mount {
  readonly path: string;
  /** The same without links. */
  readonly real: string;
  readonly isWritable: boolean;
}

/** The paths that are shown, outer ones before inner ones. */
async function toMounts({ profile, programFiles, home, dataDir }: SandboxFiles): Promise<readonly Mount[]> {
  const expand = (paths: readonly string[]) => paths.map((path) => trim(expandPath(path, home)));
  const writable = new Set(expand(profile.write));
  if (writable.has('/')) throw new Error("'/' cannot be in 'write': name directories");
  const readable = [...programFiles, ...expand(profile.read)].filter((path) => path !== '/');
  const mounts: Mount[] = [];
  for (const path of [...new Set([...readable.map(trim), ...writable])].sort(
    (one, other) => one.length - other.length,
  )) {
    const isWritable = writable.has(path);
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined && isWritable) throw new Error(`${path} is in 'write' and does not exist: create it`);
    if (real === undefined || isWithin(real, dataDir)) continue;
    const outer = mounts.findLast((mount) => isWithin(path, mount.path));
    // The program can replace what is in a writable directory by a link that leads out of it.
    const link = outer?.isWritable ? await findLink(path, outer.path) : undefined;
    if (link !== undefined)
      throw new Error(`${link} is a symbolic link in a directory that the program can change: remove it`);
    if (outer?.isWritable !== isWritable) mounts.push({ path, real, isWritable });
  }
  return mounts;
}

async function showSystem(): Promise<readonly string[]> {
  const folders = systemFolders.map(async (path) => {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isSymbolicLink()) return ['--symlink', await readlink(path), path];
    return found ? ['--ro-bind', path, path] : [];
  });
  return [...(await Promise.all(folders)).flat(), ...systemFiles.flatMap((path) => ['--ro-bind-try', path, path])];
}

/** Why sandboxes do not work on this machine, with the remedy; undefined if they do, which is tried once. */
export async function findSandboxProblem(path?: string): Promise<string | undefined> {
  if (works.has(path)) return undefined;
  const problem = await trySandbox(path);
  if (problem === undefined) works.add(path);
  return problem;
}

/** The search paths with which sandboxes work. */
const works = new Set<string | undefined>();

async function trySandbox(path: string | undefined): Promise<string | undefined> {
  if (process.platform !== 'linux') return `sandboxes need Linux, and this is ${process.platform}`;
  try {
    const { stdout } = await run('bwrap', ['--version'], { env: { PATH: path } });
    const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? [];
    if (major === 0 && minor < 8) return `bubblewrap ${major}.${minor} is too old: install 0.8 or later`;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing
      ? 'bubblewrap is not installed: install the package bubblewrap'
      : `bubblewrap fails: ${messageOf(cause)}`;
  }
  try {
    await run(
      'bwrap',
      ['--ro-bind', '/', '/', '--unshare-all', '--unshare-user', '--disable-userns', '--proc', '/proc', 'true'],
      {
        env: { PATH: path },
      },
    );
    return undefined;
  } catch (cause) {
    const { stderr = messageOf(cause) } = cause as { readonly stderr?: string };
    return `bubblewrap cannot create a sandbox (${stderr.trim()}): allow user namespaces for it, and in a container also the mount of /proc`;
  }
}

function trim(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
