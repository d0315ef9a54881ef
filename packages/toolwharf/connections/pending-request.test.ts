import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const moduleUrl = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Ends requests one after another, and prints by how much the old generation grew for each. */
const program = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const { LightAbort } = await import(${moduleUrl('../kernel/abort-source.ts')});
  const { PendingRequest } = await import(${moduleUrl('./pending-request.ts')});
  const old = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  const settling = { resolve() {}, reject() {}, owner: { onSettled() {}, onAborted() {} } };
  function run(count) {
    for (let id = 0; id < count; id++)
      new PendingRequest(id, 'tools/call', { signal: new LightAbort(), host: new Array(100).fill(id) }, {}, undefined, settling).succeed({});
  }
  run(1_000);
  globalThis.gc();
  const before = old();
  run(20_000);
  console.log((old() - before) / 20_000);
`;

test('a request that has ended is not kept until a full collection', () => {
  // Without optimized code, which would not create the functions of a request at all.
  const args = ['--expose-gc', '--no-opt', '--no-maglev', '--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(Number(stdout)).toBeLessThan(10);
});
