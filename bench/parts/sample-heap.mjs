// Preloaded into a gateway whose allocations are measured: the first SIGUSR2 starts sampling, the second writes the profile to the file
// that SAMPLE_HEAP names.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.enable');
  const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  const start = () => session.post('HeapProfiler.startSampling', { samplingInterval: 4_096, ...collected });
  const stop = () =>
    session.post('HeapProfiler.stopSampling', (_error, { profile }) => {
      const file = process.env.SAMPLE_HEAP;
      writeFileSync(`${file}.part`, JSON.stringify(profile));
      renameSync(`${file}.part`, file);
    });
  process.once('SIGUSR2', () => {
    start();
    process.once('SIGUSR2', stop);
  });
}
