import { expect, test } from 'vitest';
import { parsePsTime, processorTimeOf } from './processor-time.ts';

test.each([
  ['   0:02.53\n', 2_530],
  ['00:01:02', 62_000],
  ['1-02:00:03', 93_603_000],
  ['TIME', undefined],
])('ps writes %j for a processor time of %s ms', (text, ms) => {
  expect(parsePsTime(text)).toBe(ms);
});

test('the processor time of a process is what the process itself reports', async () => {
  const before = process.cpuUsage();
  const ms = await processorTimeOf(process.pid);
  const after = process.cpuUsage();
  const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;
  expect(ms).toBeGreaterThanOrEqual(toMs(before) - 1_000);
  expect(ms).toBeLessThanOrEqual(toMs(after) + 1_000);
});
