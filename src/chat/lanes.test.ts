import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLanes } from './lanes.ts';

test('in one lane one goes at a time and in order, also after one that failed; other lanes go on', async () => {
  const lanes = createLanes();
  const seen: string[] = [];
  const pass = (name: string, ms: number) => async () => {
    seen.push(`${name} in`);
    await wait(ms);
    seen.push(`${name} out`);
    return name;
  };
  const failing = lanes.run('a', async () => {
    await wait(20);
    throw new Error('no');
  });
  const first = lanes.run('a', pass('first', 20));
  const second = lanes.run('a', pass('second', 0));
  const other = lanes.run('b', pass('other', 0));
  await expect(failing).rejects.toThrow('no');
  expect(await Promise.all([first, second, other])).toEqual(['first', 'second', 'other']);
  expect(seen.slice(0, 2)).toEqual(['other in', 'other out']);
  expect(seen.slice(2)).toEqual(['first in', 'first out', 'second in', 'second out']);
});

test('the lanes are idle when the last one is through', async () => {
  const lanes = createLanes();
  let isThrough = false;
  void lanes.run('a', async () => {
    await wait(5);
    void lanes.run('b', async () => {
      await wait(5);
      isThrough = true;
    });
  });
  await lanes.idle();
  expect(isThrough).toBe(true);
});
