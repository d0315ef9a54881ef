import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

test('items added during a commit are committed together in the next one', async () => {
  const batches: number[][] = [];
  const release: (() => void)[] = [];
  const commits = createGroupCommit<number>((items) => {
    batches.push([...items]);
    return new Promise((resolve) => release.push(resolve));
  });
  const first = commits.add(1);
  while (release.length < 1) await wait(1);
  const later = [2, 3, 4].map((item) => commits.add(item));
  release[0]?.();
  await first;
  while (release.length < 2) await wait(1);
  release[1]?.();
  await Promise.all(later);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

test('the first item is committed at once', () => {
  const batches: number[][] = [];
  const commits = createGroupCommit<number>(async (items) => void batches.push([...items]));
  void commits.add(1);
  void commits.add(2);
  expect(batches).toEqual([[1]]);
});

test('a failed commit rejects only its own items', async () => {
  let broken = true;
  const commits = createGroupCommit<number>(async () => {
    if (broken) throw new Error('disk full');
  });
  const lost = await Promise.allSettled([commits.add(1), commits.add(2)]);
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  await expect(commits.add(3)).resolves.toBeUndefined();
});

test('a group has a maximum size, and items stay in order', async () => {
  const batches: number[][] = [];
  const commits = createGroupCommit<number>(async (items) => void batches.push([...items]), { maxItems: 3 });
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => commits.add(item)));
  expect(batches).toEqual([[1], [2, 3, 4], [5, 6, 7]]);
});

test('idle resolves when every added item is committed', async () => {
  const done: number[] = [];
  const commits = createGroupCommit<number>(async (items) => {
    await wait(1);
    done.push(...items);
  });
  const writes = [commits.add(1), commits.add(2)];
  await commits.idle();
  expect(done).toEqual([1, 2]);
  await Promise.all(writes);
  await commits.idle();
});
