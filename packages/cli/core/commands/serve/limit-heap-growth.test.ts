import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createGrowth } from './limit-heap-growth.ts';

/** Creates objects that survive collections, as running calls do, and prints the rounds and the largest new space. */
const program = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const { limitHeapGrowth } = await import(${JSON.stringify(new URL('./limit-heap-growth.ts', import.meta.url).href)});
  const [mode, rounds] = process.argv.slice(1);
  if (mode === 'limited') limitHeapGrowth();
  const mebibytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 2 ** 20;
  let alive = [];
  let largest = 0;
  let round = 0;
  for (; round < Number(rounds) && (mode === 'limited' || largest <= 16); round++) {
    alive = Array.from({ length: 30_000 }, (_, at) => ({ round, at, text: [at] }));
    await new Promise((resolve) => setImmediate(resolve));
    largest = Math.max(largest, mebibytes());
  }
  console.log(JSON.stringify({ round, largest, alive: alive.length }));
`;

function run(mode: string, rounds: number): { readonly round: number; readonly largest: number } {
  const args = ['--max-semi-space-size=64', '--input-type=module', '--eval', program, mode, String(rounds)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('the space for new objects stays at 16 MiB where V8 would let it grow further', () => {
  const unlimited = run('unlimited', 20_000);
  expect(unlimited.largest).toBeGreaterThan(16);
  expect(run('limited', unlimited.round * 2).largest).toBeLessThanOrEqual(16);
});

test('the old generation may grow faster while there are many full collections, and not after a pause', () => {
  const growth = createGrowth();
  const usual = growth.percent;
  for (const time of [0, 6_000, 12_000, 12_100]) growth.collected(time, true);
  growth.collected(12_200, false);
  expect(growth.percent).toBe(usual);
  growth.collected(12_300, true);
  expect(growth.percent).toBeGreaterThan(usual);
  growth.collected(17_000, false);
  expect(growth.percent).toBeGreaterThan(usual);
  growth.collected(17_400, true);
  expect(growth.percent).toBe(usual);
});
