// Writes calls to a journal until it is killed, and prints each confirmed step as a line: `{call id} {status}`.
// With `openCalls` it writes that many calls, leaves them open (every other one before it is sent), and waits.
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { CallStatus } from '../../packages/contract/calls.ts';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createSealer } from '../../packages/toolwharf/storage/sealer.ts';
import { makeCall } from './records.ts';

// The parent process holds the other end of stdin, so this process ends with its parent.
process.stdin.on('end', () => process.exit()).resume();

const pause = new Int32Array(new SharedArrayBuffer(4));
const { key, writers = 8, openCalls, ...location } = JSON.parse(process.argv[2] ?? '{}');
const storage = await openStorage({ ...location, sealer: createSealer(Buffer.from(key, 'hex')) });
print('open\n');
// Tests kill this process, which would otherwise not save its compiled code for the next one.
flushCompileCache();

let left = openCalls ?? Number.POSITIVE_INFINITY;
await Promise.all(Array.from({ length: writers }, write));
print('done\n');

/** Returns after the line has left the process, regardless of the speed of the reader. */
function print(line: string): void {
  for (let left = Buffer.from(line); left.length > 0; ) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

async function write(): Promise<void> {
  while (left-- > 0) {
    const call = makeCall({ createdAt: new Date().toISOString() });
    for (const status of steps()) {
      try {
        await storage.journal.write({ ...call, status });
      } catch (error) {
        print(`failed ${(error as { code: string }).code}\n`);
        return;
      }
      print(`${call.id} ${status}\n`);
    }
  }
}

function steps(): CallStatus[] {
  if (openCalls === undefined) return ['pending', 'running', 'success'];
  return left % 2 === 0 ? ['pending', 'running'] : ['pending'];
}
