import { expect, test } from 'vitest';
import { createHeapPressure } from './heap-pressure.ts';

test('the pressure rises with the used heap, after a collection has removed garbage', () => {
  let now = 0;
  let used = 10;
  let garbage = 0;
  let collections = 0;
  const pressure = createHeapPressure({
    measure: () => ({ used: used + garbage, limit: 100 }),
    collect: () => {
      collections++;
      garbage = 0;
    },
    now: () => now,
  });
  expect(pressure.level()).toBe('normal');
  garbage = 80;
  now += 50;
  expect(pressure.level()).toBe('normal');
  expect(collections).toBe(1);
  used = 80;
  now += 50;
  expect(pressure.level()).toBe('high');
  used = 90;
  expect(pressure.level()).toBe('high');
  now += 50;
  expect(pressure.level()).toBe('critical');
  expect(collections).toBe(1);
  used = 10;
  now += 50;
  expect(pressure.level()).toBe('normal');
});

test('the pressure of this process is measured, and a critical level collects garbage', async () => {
  const pressure = createHeapPressure();
  expect(pressure.level()).toBe('normal');
  expect(pressure.limitBytes).toBeGreaterThan(100 * 1024 * 1024);
  const garbage = new WeakRef({});
  // A new object is held until the current turn of the event loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  const forced = createHeapPressure({ measure: () => ({ used: 99, limit: 100 }) });
  expect(forced.level()).toBe('critical');
  expect(garbage.deref()).toBeUndefined();
});
