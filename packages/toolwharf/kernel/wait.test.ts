import { expect, test } from 'vitest';
import { abortable, waitAtMost } from './wait.ts';

const never = new Promise<never>(() => {});

test('an abortable promise settles like the work unless the signal aborts first', async () => {
  const cancel = new AbortController();
  expect(await abortable(Promise.resolve(1), cancel.signal)).toBe(1);
  const waiting = abortable(never, cancel.signal);
  cancel.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(abortable(never, cancel.signal)).rejects.toThrow('stopped');
  expect(await abortable(Promise.resolve(2))).toBe(2);
});

test('a wait with a timeout ends with the result, the failure or the timeout', async () => {
  await waitAtMost(never, 1);
  await waitAtMost(Promise.resolve(), 3_600_000);
  await expect(waitAtMost(Promise.reject(new Error('failed')), 3_600_000)).rejects.toThrow('failed');
});
