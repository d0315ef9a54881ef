// Preloaded into a gateway: SIGUSR2 writes the longest pause of its event loop since the last signal to LOOP_DELAY_FILE.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env.LOOP_DELAY_FILE;
if (isMainThread && file) {
  const delay = monitorEventLoopDelay({ resolution: 2 });
  delay.enable();
  let longestGcMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestGcMs = Math.max(longestGcMs, duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  // The processor time of one turn of the event loop: other processes do not add to it, as they do to the delay.
  let longestTurnMs = 0;
  let last = cpuMs();
  setInterval(() => {
    const now = cpuMs();
    longestTurnMs = Math.max(longestTurnMs, now - last);
    last = now;
  }, 1).unref();
  process.on('SIGUSR2', () => {
    const figures = { longestMs: delay.max / 1e6, longestTurnMs, longestGcMs };
    longestGcMs = 0;
    longestTurnMs = 0;
    delay.reset();
    writeFileSync(`${file}.new`, JSON.stringify(figures));
    renameSync(`${file}.new`, file);
  });
}

function cpuMs() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
