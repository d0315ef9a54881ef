import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('an aborted signal ends a sleep with its reason', async () => {
  const cancel = new AbortController();
  const sleeping = systemClock.sleep(60_000, cancel.signal);
  cancel.abort(new Error('wake up'));
  await expect(sleeping).rejects.toThrow('wake up');
  const before = systemClock.now();
  await systemClock.sleep(5);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
});
