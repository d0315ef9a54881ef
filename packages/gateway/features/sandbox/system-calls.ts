import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The system calls that no program in a sandbox needs, and that namespaces do not contain: the keyrings of the user, and parts of the
 * kernel in which holes were found again and again. Numbers of x64 and of arm64.
 */
const denied: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  userfaultfd: [323, 282],
  bpf: [321, 280],
  perf_event_open: [298, 241],
};
const ioctlNumber = { x64: 16, arm64: 29 } as const;
/** TIOCSTI and TIOCLINUX put characters into the input of a terminal. */
const deniedIoctls = [0x5412, 0x541c];

const machines = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** Calls of the x32 kind of x64 begin here. */
const firstOfX32 = 0x40000000;

const at = { number: 0, machine: 4, secondArgument: 24 } as const;
const [load, jumpIfEqual, jumpIfAtLeast, answer] = [0x20, 0x15, 0x35, 0x06];
const allow = 0x7fff0000;
/** As if the kernel did not have the call, so that programs do without it. */
const notThere = 0x00050000 | 38;

type Target = 'next' | 'allow' | 'deny';
type Instruction = readonly [code: number, value: number, ifTrue?: Target, ifFalse?: Target];

/** Writes the filter of this machine into a directory; undefined for a machine whose numbers are not known. */
export async function writeSystemCallFilter(folder: string): Promise<string | undefined> {
  const filter = toSystemCallFilter();
  if (!filter) return undefined;
  const file = join(folder, 'system-calls.bpf');
  const current = await readFile(file).catch(() => undefined);
  if (current?.equals(filter)) return file;
  const written = `${file}.${randomUUID()}`;
  await writeFile(written, filter);
  await rename(written, file);
  return file;
}

/** The filter as a program of the kernel (BPF), which gets the number, the machine and the arguments of each system call. */
export function toSystemCallFilter(arch: string = process.arch): Buffer | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  const numbers = Object.values(denied).map(([x64, arm64]) => (arch === 'x64' ? x64 : arm64));
  const instructions: readonly Instruction[] = [
    [load, at.machine],
    [jumpIfEqual, machines[arch], 'next', 'deny'],
    [load, at.number],
    [jumpIfAtLeast, firstOfX32, 'deny', 'next'],
    ...numbers.map((number) => [jumpIfEqual, number, 'deny', 'next'] as const),
    [jumpIfEqual, ioctlNumber[arch], 'next', 'allow'],
    [load, at.secondArgument],
    ...deniedIoctls.map((number) => [jumpIfEqual, number, 'deny', 'next'] as const),
    [answer, allow],
    [answer, notThere],
  ];
  const last = instructions.length - 1;
  const targets = { allow: last - 1, deny: last };
  return Buffer.concat(
    instructions.map(([code, value, ifTrue = 'next', ifFalse = 'next'], index) => {
      // A jump counts the instructions that it leaves out.
      const toJump = (target: Target) => (target === 'next' ? 0 : targets[target] - index - 1);
      const bytes = Buffer.alloc(8);
      bytes.writeUInt16LE(code, 0);
      bytes.writeUInt8(toJump(ifTrue), 2);
      bytes.writeUInt8(toJump(ifFalse), 3);
      bytes.writeUInt32LE(value, 4);
      return bytes;
    }),
  );
}
