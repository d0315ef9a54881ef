import { createReadStream, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A file that a program used. */
export interface FileUse {
  readonly path: string;
  readonly kind: 'read' | 'write' | 'run' | 'look';
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** The system calls that strace records. */
export const tracedCalls = [
  ...[
    'open',
    'openat',
    'openat2',
    'creat',
    'execve',
    'execveat',
    'mkdir',
    'mkdirat',
    'rmdir',
    'unlink',
    'unlinkat',
    'rename',
  ],
  ...['renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat', 'truncate', 'chmod', 'fchmodat', 'chdir'],
  ...['stat', 'lstat', 'newfstatat', 'statx'],
];

const changing = /^(creat|mkdir|rmdir|unlink|rename|link|symlink|truncate|chmod|fchmod)/;
const looking = /^(stat|lstat|newfstatat|statx)$/;

/** Uses of one server that are kept. */
const maxUses = 50_000;

/** The last condensation of each directory. */
const condensing = new Map<string, Promise<unknown>>();

/**
 * Every file that the programs of a directory of traces have used since a time, with the first time. The traces are emptied, so that a
 * program that is watched for long does not fill the disk: a file beside them names each use once.
 */
export async function readTraces(folder: string, cwd: string, since: number): Promise<readonly FileUse[]> {
  const reading = (condensing.get(folder) ?? Promise.resolve()).then(() => condense(folder, cwd, since));
  const settled = reading.catch(() => {});
  condensing.set(folder, settled);
  void settled.then(() => condensing.get(folder) === settled && condensing.delete(folder));
  return reading;
}

async function condense(folder: string, cwd: string, since: number): Promise<readonly FileUse[]> {
  const list = join(folder, 'uses.jsonl');
  const uses = new Map<string, FileUse>();
  const add = (use: FileUse) => {
    const key = `${use.kind} ${use.path}`;
    if (use.at >= since && !uses.has(key) && uses.size < maxUses) uses.set(key, use);
  };
  for await (const line of linesOf(list)) add(JSON.parse(line));
  const before = uses.size;
  const traces = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('trace-'));
  const read: [file: string, bytes: number][] = [];
  for (const name of traces) {
    const file = join(folder, name);
    let bytes = 0;
    for await (const line of linesOf(file)) {
      bytes += Buffer.byteLength(line) + 1;
      for (const use of parseLine(line, cwd)) add(use);
    }
    read.push([file, bytes]);
  }
  if (uses.size > before || before === 0) {
    const written = `${list}.new`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(written, [...uses.values()].map((use) => `${JSON.stringify(use)}\n`).join(''));
    await rename(written, list);
  }
  for (const [file, bytes] of read) empty(file, bytes, since);
  return [...uses.values()];
}

/** Empties a trace of which everything was read; strace goes on at its end. Removes that of a program that ended before this time. */
function empty(file: string, bytes: number, since: number): void {
  const { size, mtimeMs } = statSync(file);
  if (mtimeMs < since) rmSync(file);
  // At once after the size was read, so that no line comes between.
  else if (size === bytes && size > 0) truncateSync(file);
}

async function* linesOf(file: string): AsyncGenerator<string> {
  if (!existsSync(file)) return;
  yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/** The files of one line of strace: `12 1700000000.5 openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 3`. */
export function parseLine(line: string, cwd: string): readonly FileUse[] {
  const pattern = /^(?:\d+ +)?(\d+\.\d+) (\w+)\((.*?)(?:\) += (.*)|<unfinished \.\.\.>)$/;
  const [, time, call = '', args = '', result = ''] = pattern.exec(line) ?? [];
  // A call that lacked a right would have succeeded with it.
  if (time === undefined || (result.startsWith('-1') && !/EACCES|EPERM|EROFS/.test(result))) return [];
  const at = Number(time) * 1_000;
  const isWritten = changing.test(call) || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args);
  const kind = call.startsWith('exec') ? 'run' : looking.test(call) ? 'look' : isWritten ? 'write' : 'read';
  // The first path of a symbolic link is only its content.
  const [first, last] = call.startsWith('symlink') ? [1, 2] : [0, /^(rename|link)/.test(call) ? 2 : 1];
  return [...args.matchAll(pathPattern)]
    .slice(first, last)
    .map(([, folder = cwd, text = '']) => ({ folder, path: decodeText(text) }))
    .filter(({ path }) => path !== '')
    .map(({ folder, path }) => ({ path: isAbsolute(path) ? resolve(path) : resolve(folder, path), kind, at }));
}

/** A path among the arguments of a system call, with the directory that it is relative to: the descriptor has it with `-y`. */
const pathPattern = /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g;

/** A text as strace writes it: bytes that are no characters in octal. */
function decodeText(text: string): string {
  const bytes = text.replace(/\\(?:([0-7]{1,3})|(.))/g, (_, octal?: string, char = '') =>
    octal === undefined ? (escapes[char] ?? char) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

/** The directories around a path, the innermost first. */
export function foldersAround(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) found.push(at);
  return found;
}
