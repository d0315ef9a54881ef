import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Burst, SandboxCall, SandboxLimits, Settlement } from '../sandbox/protocol.ts';
import { assertCanRunScripts, openSandbox } from './sandbox.ts';

const limits: SandboxLimits = {
  memoryBytes: 32 * 1024 * 1024,
  computeMs: 60_000,
  maxCalls: 10,
  maxLogBytes: 100,
  maxValueBytes: 10_000,
};

const succeed = ({ number }: SandboxCall): Settlement => ({ ok: true, value: { number }, time: 2_000 });

/** Runs a script and settles its calls in the order in which it made them. */
async function run(code: string, settle = succeed, changed: Partial<SandboxLimits> = {}) {
  using sandbox = openSandbox();
  const calls: SandboxCall[] = [];
  let settled = 0;
  const program = {
    code,
    input: '{"name":"Ada"}',
    randomSeed: 'r',
    seed: 7,
    time: 1_000,
    limits: { ...limits, ...changed },
  };
  let burst: Burst = await sandbox.start(program);
  for (;;) {
    calls.push(...burst.calls);
    if (burst.end) return { ...burst.end, calls };
    const call = calls[settled++];
    if (!call) throw new Error('The script waits for a call that it has not made');
    burst = await sandbox.settle(call.number, settle(call));
  }
}

test.each(['bun', 'deno'])('scripts are refused in %s, which ignores the permissions of their processes', (runtime) => {
  expect(() => assertCanRunScripts({ [runtime]: '1.0.0' })).toThrow(/Scripts run in Node\.js only/);
});

test('a sandbox runs a script in a process of its own, and settles its calls', async () => {
  const { calls, value } = await run(
    'const x: number = 4;\nconst { number } = await tools.a.b({ x });\n[input.name, number]',
  );
  expect(calls).toEqual([{ number: 1, kind: 'tool', server: 'a', tool: 'b', args: { x: 4 } }]);
  expect(JSON.parse(value ?? '')).toEqual(['Ada', 1]);
});

test('a script that computes too long is stopped with its process', async () => {
  const ended = await run('for (;;) {}', succeed, { computeMs: 300 }).catch((cause: Error) => ({ error: cause }));
  expect(ended.error?.message).toMatch(/^The script computed for more than \d+ ms/);
});

test('a script that needs too much memory fails', async () => {
  const { error } = await run('const all = []; for (;;) all.push([all])');
  expect(error?.message).toContain('out of memory');
});

test('a sandbox that writes something else than a message ends its own script, and nothing else', async () => {
  using sandbox = openSandbox(resolve('test/fixtures/broken-sandbox.mjs'));
  const program = { code: '1', input: '{}', seed: 7, randomSeed: 'r', time: 1_000, limits };
  await expect(sandbox.start(program)).rejects.toMatchObject({
    code: 'TOOL_FAILED',
    message: 'The sandbox sent something else than a message',
  });
  await sandbox.ended;
});

test('a sandbox whose processor time cannot be measured is not said to compute', async () => {
  using sandbox = openSandbox(resolve('test/fixtures/silent-sandbox.mjs'), () => Promise.resolve(undefined));
  const program = {
    code: '1',
    input: '{}',
    seed: 7,
    randomSeed: 'r',
    time: 1_000,
    limits: { ...limits, computeMs: 10 },
  };
  await expect(sandbox.start(program)).rejects.toMatchObject({ message: 'The script did not answer for 40 ms' });
});

test('a sandbox that waits is not said to compute', async () => {
  let measured = 0;
  const idle = Promise.withResolvers<void>();
  using sandbox = openSandbox(resolve('test/fixtures/silent-sandbox.mjs'), () => {
    if (++measured === 3) idle.resolve();
    return Promise.resolve(1);
  });
  const program = {
    code: '1',
    input: '{}',
    seed: 7,
    randomSeed: 'r',
    time: 1_000,
    limits: { ...limits, computeMs: 10 },
  };
  const burst = sandbox.start(program);
  burst.catch(() => {});
  await idle.promise;
  sandbox[Symbol.dispose]();
  await expect(burst).rejects.toMatchObject({ message: 'The sandbox was closed' });
});
