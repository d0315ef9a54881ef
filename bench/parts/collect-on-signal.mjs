// Preloaded into a gateway whose memory is measured: SIGUSR2 forces a garbage collection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc');
  process.on('SIGUSR2', () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
}
