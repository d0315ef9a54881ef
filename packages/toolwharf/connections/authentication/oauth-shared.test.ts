import { expect, test } from 'vitest';
import { createSingleFlight } from './oauth-shared.ts';

test('callers that arrive while a task runs share it, and later callers start a new one', async () => {
  const flights = createSingleFlight();
  let runs = 0;
  const work = async () => {
    runs++;
    await new Promise((resolve) => setImmediate(resolve));
  };
  await Promise.all([flights.run('a', work), flights.run('a', work), flights.run('b', work)]);
  expect(runs).toBe(2);
  expect(flights.current('a')).toBeUndefined();
  await flights.run('a', work);
  expect(runs).toBe(3);
});

test('a failed task fails all callers that wait for it, and the next caller starts a new task', async () => {
  const flights = createSingleFlight();
  const failing = flights.run('a', async () => {
    throw new Error('no');
  });
  const joined = flights.run('a', async () => {});
  await expect(failing).rejects.toThrow('no');
  await expect(joined).rejects.toThrow('no');
  await expect(flights.run('a', async () => {})).resolves.toBeUndefined();
});
