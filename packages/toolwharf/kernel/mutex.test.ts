import { expect, test } from 'vitest';
import { createKeyedMutex, createMutex } from './mutex.ts';

test('work under a mutex runs one at a time in the order of the calls', async () => {
  const mutex = createMutex();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} starts`);
    await Promise.resolve();
    seen.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all([mutex(work('a')), mutex(work('b'))])).toEqual(['a', 'b']);
  expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends']);
});

test('work that fails rejects its own caller and does not stop the next', async () => {
  const mutex = createMutex();
  const failing = mutex(() => Promise.reject(new Error('broken')));
  const next = mutex(() => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

test('work with the same key runs one at a time and in order, also after a failure; other keys are independent', async () => {
  const locks = createKeyedMutex();
  const seen: string[] = [];
  const pass = (name: string) => async () => {
    seen.push(`${name} in`);
    await nextTask();
    seen.push(`${name} out`);
    return name;
  };
  const failing = locks.run('a', async () => {
    await failure.promise;
    throw new Error('no');
  });
  const failure = Promise.withResolvers<void>();
  const first = locks.run('a', pass('first'));
  const second = locks.run('a', pass('second'));
  expect(await locks.run('b', pass('other'))).toBe('other');
  expect(seen).toEqual(['other in', 'other out']);
  failure.resolve();
  await expect(failing).rejects.toThrow('no');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  expect(seen.slice(2)).toEqual(['first in', 'first out', 'second in', 'second out']);
});

test('idle resolves when the last piece of work is done', async () => {
  const locks = createKeyedMutex();
  let isThrough = false;
  void locks.run('a', async () => {
    await nextTask();
    void locks.run('b', async () => {
      await nextTask();
      isThrough = true;
    });
  });
  await locks.idle();
  expect(isThrough).toBe(true);
});

test('work under a mutex gets no arguments', async () => {
  const mutex = createMutex();
  const locks = createKeyedMutex();
  const work = async (...args: unknown[]) => args.length;
  expect(await Promise.all([mutex(work), mutex(work)])).toEqual([0, 0]);
  expect(await Promise.all([locks.run('a', work), locks.run('a', work)])).toEqual([0, 0]);
});
