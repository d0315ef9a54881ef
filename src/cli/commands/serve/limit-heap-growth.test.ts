import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Creates objects that survive collections for a while, as calls do, and reports the size of the space for new ones. */
const program = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const { limitHeapGrowth } = await import(${JSON.stringify(new URL('./limit-heap-growth.ts', import.meta.url).href)});
  if (process.argv[1] === 'limited') limitHeapGrowth();
  const alive = [];
  for (let round = 0; round < 400; round++) {
    for (let at = 0; at < 20_000; at++) alive[(round * 20_000 + at) % 200_000] = { round, at, text: [at] };
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20);
`;

function newSpaceMb(mode: string): number {
  const node = ['--max-semi-space-size=64', '--input-type=module', '--eval', program, mode];
  const { stdout, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return Number(stdout);
}

test('the space for new objects stays under 32 MiB where V8 would let it grow further', () => {
  expect(newSpaceMb('unlimited')).toBeGreaterThan(32);
  expect(newSpaceMb('limited')).toBeLessThanOrEqual(32);
});
