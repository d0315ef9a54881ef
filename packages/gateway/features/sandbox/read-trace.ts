import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
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

/** Every file that the programs of a directory of traces have used, the first time that they did so. Calls that failed for another reason than a missing right are left out. */
export async function readTraces(folder: string, cwd: string): Promise<readonly FileUse[]> {
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('trace-'));
  const uses = new Map<string, FileUse>();
  for (const file of files) {
    const lines = createInterface({ input: createReadStream(join(folder, file)), crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) {
      for (const use of parseLine(line, cwd)) {
        const key = `${use.kind} ${use.path}`;
        if (!uses.has(key)) uses.set(key, use);
      }
    }
  }
  return [...uses.values()];
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
