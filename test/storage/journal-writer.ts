// Writes calls to a journal until it is killed, and says which steps were confirmed: `{call id} {status}` on a line each.
// With `openCalls` it makes that many, leaves them open, every other one before it is sent, and waits.
import { writeSync } from 'node:fs';
import type { CallStatus } from '../../src/invocation/call-record.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { createSealer } from '../../src/storage/sealer.ts';
import { makeCall } from './records.ts';

// Whoever started it holds the other end: it goes with them, however they go.
process.stdin.on('end', () => process.exit()).resume();

const pause = new Int32Array(new SharedArrayBuffer(4));
const { key, writers = 8, openCalls, ...place } = JSON.parse(process.argv[2] ?? '{}');
const storage = await openStorage({ ...place, sealer: createSealer(Buffer.from(key, 'hex')) });
say('open\n');

let left = openCalls ?? Number.POSITIVE_INFINITY;
await Promise.all(Array.from({ length: writers }, write));
say('done\n');

/** What is said has left the process when this returns, however slow the reader is. */
function say(line: string): void {
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
        say(`failed ${(error as { code: string }).code}\n`);
        return;
      }
      say(`${call.id} ${status}\n`);
    }
  }
}

function steps(): CallStatus[] {
  if (openCalls === undefined) return ['pending', 'running', 'success'];
  return left % 2 === 0 ? ['pending', 'running'] : ['pending'];
}
