import { expect, test } from 'vitest';
import { createMessageMeter } from './message-meter.ts';

test('an app may send 600 messages in five seconds, and as many in the next five', () => {
  let time = 0;
  const meter = createMessageMeter(() => time);
  const counts = () => Array.from({ length: 600 }, () => meter.count());
  expect(counts()).not.toContain(true);
  expect(meter.count()).toBe(true);
  time = 5_000;
  expect(counts()).not.toContain(true);
});
