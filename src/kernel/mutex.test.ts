import { expect, test } from 'vitest';
import { createMutex } from './mutex.ts';

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
