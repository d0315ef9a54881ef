import { expect, test } from 'vitest';
import { createLanes } from './lanes.ts';

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

test('in one lane one goes at a time and in order, also after one that failed; other lanes go on', async () => {
  const lanes = createLanes();
  const seen: string[] = [];
  const pass = (name: string) => async () => {
    seen.push(`${name} in`);
    await nextTask();
    seen.push(`${name} out`);
    return name;
  };
  const failing = lanes.run('a', async () => {
    await failure.promise;
    throw new Error('no');
  });
  const failure = Promise.withResolvers<void>();
  const first = lanes.run('a', pass('first'));
  const second = lanes.run('a', pass('second'));
  expect(await lanes.run('b', pass('other'))).toBe('other');
  expect(seen).toEqual(['other in', 'other out']);
  failure.resolve();
  await expect(failing).rejects.toThrow('no');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  expect(seen.slice(2)).toEqual(['first in', 'first out', 'second in', 'second out']);
});

test('the lanes are idle when the last one is through', async () => {
  const lanes = createLanes();
  let isThrough = false;
  void lanes.run('a', async () => {
    await nextTask();
    void lanes.run('b', async () => {
      await nextTask();
      isThrough = true;
    });
  });
  await lanes.idle();
  expect(isThrough).toBe(true);
});
