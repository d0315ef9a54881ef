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
  const program = {
    code,
    input: '{"name":"Ada"}',
    seed: 7,
    randomSeed: 'r',
    tools: { a: ['b'], 'c-d': ['e', 'f'] },
    time: 1_000,
    limits: { ...limits, ...changed },
  };
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
    'const at = Date.now(); await tools.a.b();\n[at, Date.now(), new Date().getTime(), new (new Date().constructor)().getTime(), Math.random(), performance.now()]';
  const [first, second] = [evaluate(code), evaluate(code)];
  expect(first).toEqual([1_000, 2_000, 2_000, 2_000, expect.any(Number), 1_000]);
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

test.each([
  ['const a = 1;\nconst b = a.x.y;', 2],
  ['const r = await tools.a.b();\n\nconst n = r.items.map((x) => x);', 3],
  ['const r = await tools.a.b();\nconst s = 1;\nreturn r.items.map((x) => x);', 3],
  ['function f(o) {\n  const x = 1;\n  return o.p.q;\n}\nconst z = 1;\nf({});', 3],
  ['const r = await tools.a.b();\nif (r.deep.er) {\n 1\n}', 2],
  ['const list = [1];\n// missing.name\nconst x = missing.name;', 3],
  ['const o = {};\nconst t = "o.a.b";\nconst { z } = o.q;', 3],
  ['const o = {};\nconst t = 1;\nfor (const z of o.q) t;', 3],
  ['const o = {};\nconst t = 1;\nconst all = [...o.q];', 3],
  ['const o = {};\n\nconst all = Object.keys(o.q);', 3],
  ['const o: any = {};\nconst k = o["first"]["second"];', 2],
  ["const user={name:'x'};\nconst n=user.name.length;\nconst m=user.nick.length;", 3],
  ['const a={};\nconst f=a.x?.y;\nconst b=a.x.y', 3],
  ['const a={};\nconst s=`a.b.c\n${a.b}\n${a.b.c}`;', 4],
  ['const a={};\nconst s=`one ${`two\n${a.b.c}`}\n${a.b}`;', 3],
  ['const t = 1;\nfor (const x of 5) {\n  t;\n}', 2],
  ["const o={};\nconst k='q';\nconst t=o[k];\nconst z=o[k][k];", 4],
  ['const a=1;\nconst b=[1,2];\nb.map(x =>\n  x.y.z)', 4],
  ['const list = [{ a: { b: 1 } }, {}];\nfor (const one of list) {\n  const t = one.c;\n  const u = one.a.b;\n}', 4],
  ['const list = [{ b: 1 }, undefined];\nlet t = 1;\nfor (const { b } of list) {\n  t += b;\n}\nt;', 3],
  ['let i = 0;\nwhile (i < 3) {\n  i++;\n  if (i === 2) input.q.z;\n}', 4],
  ['const a = {};\nconst b = 1;\na.foo();', 3],
  ['const a = {};\nconst b = a.c?.d;\nconst e = a.c?.d.f;\nconst f = a.c.d?.f;', 4],
  ['const a = {};\n\nconst { b: { c } } = a;', 3],
  ['const a = {};\n\nconst [first] = a.list;', 3],
  ['const a = 1;\nfunction f({ x }) {\n  return x;\n}\nf();', 2],
  ['function f() {\n  const z = 1;\n  return g();\n}\nfunction g() {\n  let q = 1;\n  return q.x.y;\n}\nf()', 7],
  ['const r = {\n  a: 1,\n  b: input.foo.bar,\n  c: 2,\n};', 3],
  ['const o = {};\nconst p = o\n  .list\n  .map((x) => x)\n  .filter((y) => y);', 4],
  ['const a = 1;\nconst b = a\n  + input.x\n  + input.x.y;', 4],
  ['const b = input.name.length\n  ? input.x.y\n  : 1;', 2],
  ['const a = 1;\nawait 1;\nconst b = 1;\nconst c = a.x.y;', 4],
  ['const r = await tools.a.b();\nconst t = r.number;\nfor (const x of r.list.items) t;', 3],
  ['const a = 1;\nawait Promise.all([1, 2].map(async (x) => {\n  await tools.a.b();\n  return x.y.z;\n}))', 4],
  ['const a = 1;\nconst f = async () => {\n  await 1;\n  a.b.c = 2;\n};\nawait f();', 4],
  ['const e = 1;\nconst f = () => {\n  throw new TypeError("q");\n};\n[1].forEach(f)', 3],
  ['const text = "missing";\nif (text) {\n  missing.name;\n}', 3],
  ['const a = 1;\ntools.a.b({\n  one: 1,\n  two: absent,\n})', 4],
  ['const a = 1;\nlate.x;\nconst late = 2;', 2],
  ['const re = /[.]x["\']/;\nconst o = { x: { y: 1 } };\nconst q = o.x.y / 2;\nconst z = o.y.x / 2;', 4],
  ['class A {\n  #x = 1;\n  get(o) {\n    return this.#x + o.p.q;\n  }\n}\nnew A().get({});', 4],
  ['const a: any = { b: 1 };\ninterface X {\n  readonly a: string;\n}\nconst c = (a as X).d.e;', 5],
  ['const a = {};\nif (a.b) a.b.c;\nelse a.c.d;', 3],
  ['const a = {};\nreturn [\n  a.b,\n  a.b.c,\n];', 4],
  ['const a = [];\nconst b = [\n  ...a,\n  ...a[0],\n];', 4],
  ['try {\n  input.a.b;\n} catch (e) {\n  const t = 1;\n  throw e;\n}', 2],
  [
    'export default async function main() {\n  const r = await tools.a.b();\n  const s = r.a;\n  return s.length;\n}',
    4,
  ],
  ['```ts\nconst a: number = 1;\nconst b = (a as any).x.y;\n```', 3],
])('the error of %j is in line %i, with that line of code', (code, line) => {
  const { error } = run(code);
  expect(error?.position).toMatch(new RegExp(`^line ${line}, column \\d+$`));
  expect(error?.frame).toContain(`> ${line} | ${code.split('\n')[line - 1]}`);
});

test.each([
  ['```typescript\nconst x: number = 2;\nx * 2\n```', 4],
  ['\n~~~\nreturn 5\n~~~\n', 5],
  ['export default async function main() { return input.name }', 'Ada'],
  ['export default async ({ name }: { name: string }) => name', 'Ada'],
  ['export const one: number = 1;\nexport default one + 1', 2],
  ['"```"', '```'],
  ['Here is the script:\n\n```ts\nconst x: number = 2;\nx * 3\n```\n', 6],
  ['```js\n7\n```\nIt returns `7`.', 7],
  ["First, that's\n```js\n8\n```\nor else\n```js\n9\n```", 8],
  ['Code:\n~~~\nreturn 9', 9],
  ['const text = `\n~~~\na\n~~~\n`;\ntext', '\n~~~\na\n~~~\n'],
])('%j runs as its author meant it', (code, value) => {
  expect(evaluate(code)).toEqual(value);
});

test('text around the first fenced block of code is ignored, and the result says so', () => {
  const note = expect.stringContaining('Only the first fenced block of code was run');
  expect(run('Two ways:\n```js\n8\n```\n```js\n9\n```')).toMatchObject({ value: '8', note });
  expect(run('Try\n```js\nconst a = 1;\na.b.c\n```')).toMatchObject({
    error: { position: expect.stringMatching(/^line 4,/), frame: expect.stringContaining('> 4 | a.b.c') },
    note,
  });
  expect(run('```js\n8\n```\n').note).toBeUndefined();
});

test('the console and the clock have what models use', () => {
  const code = `console.table([{ a: 1 }]); console.debug('d'); console.group('g'); console.groupEnd();
    console.assert(1 > 2, 'no'); console.time('t'); await tools.a.b(); console.timeEnd('t'); performance.now()`;
  expect(run(code)).toMatchObject({ value: '1000', log: '[{"a":1}]\nd\ng\nAssertion failed: no\nt: 1000 ms\n' });
});

test('an import is explained with its line', () => {
  expect(run('const a = 1;\nimport fs from "node:fs";\na').error).toMatchObject({
    message: expect.stringContaining('cannot import'),
    position: 'line 2',
  });
  expect(run('require("fs")').error?.message).toContain('there are no modules');
  expect(run('await fetch("https://a.example")').error?.message).toContain('there is no network');
  expect(run('new AbortController()').error?.message).toContain('a script cannot cancel its calls');
  expect(run('localStorage.getItem("a")').error?.message).toContain('there is no page');
});

test('tools are listed, and called by one name too', () => {
  expect(
    evaluate('[Object.keys(tools), Object.keys(tools["c-d"]), Object.keys(tools.none), "a" in tools, "x" in tools]'),
  ).toEqual([['a', 'c-d'], ['e', 'f'], [], true, false]);
  const { calls } = run('await tools.mcp_a_b({ x: 1 }); await tools["a/b"](); await tools.a.group.b()');
  expect(calls.map(({ server, tool, args }) => [server, tool, args])).toEqual([
    ['', 'mcp_a_b', { x: 1 }],
    ['', 'a/b', {}],
    ['a', 'group.b', {}],
  ]);
  expect(evaluate('await tools; typeof tools')).toBe('function');
});

test('timers wait for the host, in the time of the script, and can be cleared', () => {
  const wait = ({ kind, args, number }: SandboxCall): Settlement =>
    kind === 'sleep'
      ? { ok: true, value: null, time: 1_000 + (args as { ms: number }).ms }
      : succeed({ number } as SandboxCall);
  const code = `const seen = [];
    setTimeout((a) => seen.push(['late', a, Date.now()]), 500, 'x');
    clearTimeout(setTimeout(() => seen.push('never'), 100));
    await sleep(2_000);
    seen.push(Date.now());
    seen`;
  const { calls, value } = run(code, wait);
  expect(calls.map(({ kind, args }) => [kind, args])).toEqual([
    ['sleep', { ms: 500 }],
    ['sleep', { ms: 100 }],
    ['sleep', { ms: 2_000 }],
  ]);
  expect(JSON.parse(value ?? '')).toEqual([['late', 'x', 1_500], 3_000]);
  expect(
    run('let n = 0; const id = setInterval(() => { if (++n === 3) clearInterval(id) }, 10); 1', wait).calls,
  ).toHaveLength(3);
  expect(run('clearTimeout(setTimeout(() => {}, 100)); 7').value).toBe('7');
  expect(run('for (let n = 0; n < 20; n++) await sleep(1); 8', wait).value).toBe('8');
});

test.each([
  ['new URL("../b?q=1&q=2#h", "https://u@a.example:8080/x/y").href', 'https://u@a.example:8080/b?q=1&q=2#h'],
  [
    'const u = new URL("https://a.example/"); u.searchParams.append("k", "a b&c"); u.pathname = "/p q"; String(u)',
    'https://a.example/p%20q?k=a+b%26c',
  ],
  ['URL.canParse("nope")', false],
  [
    '[...new URLSearchParams("a=1&b=%C3%BC+x&a=2")]',
    [
      ['a', '1'],
      ['b', 'ü x'],
      ['a', '2'],
    ],
  ],
  ['new URLSearchParams({ q: "grüße", n: "1" }).toString()', 'q=gr%C3%BC%C3%9Fe&n=1'],
  [
    'const m = new Map([[1, { d: new Date(5) }]]); const c = structuredClone(m); [c !== m, c.get(1).d.getTime(), c.get(1) !== m.get(1)]',
    [true, 5, true],
  ],
  ['const a = []; a.push(a); const b = structuredClone(a); b[0] === b && b !== a', true],
  ['[btoa("hello"), btoa("a"), atob("aGVsbG8="), atob("YQ"), btoa("")]', ['aGVsbG8=', 'YQ==', 'hello', 'a', '']],
  ['new TextDecoder().decode(new TextEncoder().encode("Grüße 👋 €"))', 'Grüße 👋 €'],
  ['[...new TextEncoder().encode("€")]', [226, 130, 172]],
  ['new TextDecoder().decode(new Uint8Array([0xff, 65, 0xe2, 0x82]))', '\ufffdA\ufffd'],
  ['(1234.5).toLocaleString()', '1,234.5'],
  ['(1234.5).toLocaleString("de-DE", { minimumFractionDigits: 2 })', '1.234,50'],
  ['new Intl.NumberFormat("en-US", { style: "currency", currency: "EUR" }).format(3)', '€3.00'],
  ['new Date(0).toLocaleDateString("en-US")', '1/1/1970'],
  ['new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(new Date(0))', '1 January 1970'],
  ['["ä", "z", "a"].sort((x, y) => x.localeCompare(y, "de"))', ['a', 'ä', 'z']],
  ['new Intl.PluralRules("en").select(1)', 'one'],
  ['Intl.ListFormat("en").format(["a", "b"])', 'a and b'],
])('%s', (code, value) => {
  expect(evaluate(code)).toEqual(value);
});

test('what scripts do not have says so instead of giving a wrong value', () => {
  expect(run('new Intl.Segmenter("en")').error?.message).toContain('Intl.Segmenter does not exist in scripts');
  expect(run('(1).toLocaleString("not a locale")').error?.name).toBe('RangeError');
  expect(run('new URL("nope")').error).toMatchObject({ name: 'TypeError', message: 'Invalid URL' });
  expect(run('structuredClone(() => 1)').error?.name).toBe('DataCloneError');
  expect(run('btoa("€")').error?.message).toContain('Latin-1');
});

test('random ids are the same when a script is replayed, and differ between scripts and from each other', () => {
  const code =
    'const a = [crypto.randomUUID(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]]; a';
  const [first, again] = [evaluate(code), evaluate(code)];
  expect(again).toEqual(first);
  expect(first[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(first[1]).not.toBe(first[0]);
});

test('host functions take only known names, and give no object of the host', () => {
  const code = `const type = Object.getPrototypeOf(new Intl.NumberFormat()).constructor;
    const found = [];
    for (const method of ['constructor', '__proto__', 'toString'])
      try { found.push(typeof new Intl.NumberFormat()[method]) } catch (e) { found.push(e.name) }
    try { type.constructor('return process')(); found.push('escaped') } catch (e) { found.push(e.name) }
    found`;
  expect(evaluate(code)).toEqual(['function', 'object', 'function', 'ReferenceError']);
});
