// Loaded into a gateway whose memory is measured: on SIGUSR2 everything that is not in use any more is given back.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc');
  process.on('SIGUSR2', () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }));
}
