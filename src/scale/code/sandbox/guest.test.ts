import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import { expect, test } from 'vitest';
import { createGuest } from './guest.ts';
import type { Burst, SandboxCall, SandboxLimits, Settlement } from './protocol.ts';

const quickJs = await newQuickJSWASMModuleFromVariant(variant as never);

const limits: SandboxLimits = {
  memoryBytes: 32 * 1024 * 1024,
  computeMs: 60_000,
  maxCalls: 10,
  maxLogBytes: 100,
  maxValueBytes: 10_000,
};

const succeed = ({ number }: SandboxCall): Settlement => ({ ok: true, value: { number }, time: 2_000 });

/** Runs a script and settles its calls in the order in which it made them. */
function run(code: string, settle = succeed, changed: Partial<SandboxLimits> = {}) {
  const program = { code, input: '{"name":"Ada"}', seed: 7, time: 1_000, limits: { ...limits, ...changed } };
  const guest = createGuest(quickJs, program);
  const calls: SandboxCall[] = [];
  let settled = 0;
  let burst: Burst = guest.start();
  for (;;) {
    calls.push(...burst.calls);
    if (burst.end) return { ...burst.end, calls };
    const call = calls[settled++];
    if (!call) throw new Error('The script waits for a call that it has not made');
    burst = guest.settle(call.number, settle(call));
  }
}

const evaluate = (code: string) => JSON.parse(run(code).value ?? 'null');

test.each([
  ['1 + 1', 2],
  ['const x: number = 4;\ninterface A { readonly b: string }\nx as number', 4],
  ['return input.name', 'Ada'],
  ['const one: number = 1;\nreturn one', 1],
  ['if (true) { "inner" }', 'inner'],
  ['await Promise.resolve(3)', 3],
  ['Promise.resolve(3)', 3],
  ['const f = async () => 5; f()', 5],
])('the result of %j is %j', (code, value) => {
  expect(evaluate(code)).toEqual(value);
});

test('time and random numbers are those of the program, and time moves on with each outcome', () => {
  const code =
    'const at = Date.now(); await tools.a.b();\n[at, Date.now(), new Date().getTime(), new (new Date().constructor)().getTime(), Math.random(), typeof performance]';
  const [first, second] = [evaluate(code), evaluate(code)];
  expect(first).toEqual([1_000, 2_000, 2_000, 2_000, expect.any(Number), 'undefined']);
  expect(second).toEqual(first);
});

test('calls that do not wait for each other are made in one burst', () => {
  const { calls, value } = run('await Promise.all([tools.a.b({ x: 1 }), tools["c-d"].e()])');
  expect(calls).toEqual([
    { number: 1, kind: 'tool', server: 'a', tool: 'b', args: { x: 1 } },
    { number: 2, kind: 'tool', server: 'c-d', tool: 'e', args: {} },
  ]);
  expect(JSON.parse(value ?? '')).toEqual([{ number: 1 }, { number: 2 }]);
});

test('a script ends when the calls that it did not wait for have ended', () => {
  const { value, log } = run('tools.a.b().then(() => console.log("late")); 7');
  expect([value, log]).toEqual(['7', 'late\n']);
});

test('a failed call rejects with its code and the line of the call, and an unknown outcome has its own class', () => {
  const fail = (code: string) => (): Settlement => ({ ok: false, error: { code, message: 'no' }, time: 1 });
  const { error } = run('const a = 1;\nawait tools.a.b()', fail('CALL_DENIED'));
  expect(error).toMatchObject({ name: 'ToolError', code: 'CALL_DENIED', message: 'no' });
  expect(error?.position).toContain('line 2');
  const code =
    'try { await tools.a.b() } catch (e) { [e instanceof OutcomeUnknown, e instanceof ToolError, e.name, e.tool] }';
  expect(JSON.parse(run(code, fail('OUTCOME_UNKNOWN')).value ?? '')).toEqual([true, true, 'OutcomeUnknown', 'b']);
});

test.each([
  ['const a = 1;\n\nundefined.x', 'TypeError', 'line 3'],
  ['let y = 1;\nlet x: = 4', 'SyntaxError', 'line 2, column 8'],
  ['throw new RangeError("bad")', 'RangeError', 'line 1'],
  ['throw { a: 1 }', 'Error', undefined],
])('the error of %j has its name and position', (code, name, position) => {
  const { error } = run(code);
  expect(error?.name).toBe(name);
  if (position === undefined) expect(error?.position).toBeUndefined();
  else expect(error?.position).toContain(position);
});

test('a script that waits for nothing ends with an error', () => {
  expect(run('await new Promise(() => {})').error?.message).toContain('nothing will resolve');
});

test('calls, arguments, results and output have limits', () => {
  expect(run('for (;;) await tools.a.b()').error?.message).toBe('A script may make at most 10 calls');
  expect(run('await tools.a.b({ text: "x".repeat(20_000) })').error?.message).toContain('smaller than 10000');
  expect(run('"x".repeat(20_000)').error?.message).toContain('larger than 10000');
  const { log, isLogTruncated } = run('for (let at = 0; at < 100; at++) console.log("0123456789")');
  expect([log.length, isLogTruncated]).toEqual([100, true]);
});

test('a script that computes too long is stopped, whether or not it catches errors', () => {
  const stuck = ['for (;;) {}', 'async function f() { try { for (;;) {} } catch {} }\nf().catch(() => {}); await f()'];
  for (const code of stuck) {
    expect(run(code, succeed, { computeMs: 300 }).error?.message).toMatch(/^The script computed for more than \d+ ms/);
  }
});

test('a script that needs too much memory fails', () => {
  const { error } = run('const all = []; for (;;) all.push([all])');
  expect(error?.message).toContain('out of memory');
});
