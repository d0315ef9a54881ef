import { expect, test } from 'vitest';
import { createSingleFlight } from './single-flight.ts';

test('work for one key is done once for all who want it meanwhile, and again for those who come later', async () => {
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

test('a failure is shared by those who waited, and forgotten', async () => {
  const flights = createSingleFlight();
  const failing = flights.run('a', async () => {
    throw new Error('no');
  });
  const joined = flights.run('a', async () => {});
  await expect(failing).rejects.toThrow('no');
  await expect(joined).rejects.toThrow('no');
  await expect(flights.run('a', async () => {})).resolves.toBeUndefined();
});
