import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import type { SandboxLimits } from '../../packages/toolwharf/features/scripts/sandbox/protocol.ts';
import { scriptLimits } from '../../packages/toolwharf/features/scripts/script-runner.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { waitFor } from '../support/wait-for.ts';

let api: TestApi;
let client: McpClient;
beforeAll(async () => {
  api = await startApi(
    {
      servers: { notes: fixture('legacy'), hidden: fixture('legacy') },
      profiles: { scripts: { expose: 'code', servers: ['notes'], deny: ['notes/env'] } },
      gateway: { limits: { maxScripts: 2, maxScriptsPerCaller: 3 } },
    },
    { env: { PATH: process.env.PATH } },
  );
  client = await connectMcp(`${api.url}/mcp/scripts`, 'modern');
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await api.close();
});

/** Lowers limits of scripts while a script exhausts them, unless the run is the long one: it proves the same, sooner. */
function setLimits(limits: Partial<SandboxLimits> = {}): Disposable {
  const before = { ...scriptLimits };
  if (process.env.ATTACKS !== 'full') Object.assign(scriptLimits, limits);
  return { [Symbol.dispose]: () => void Object.assign(scriptLimits, before) };
}

async function run(code: string, options?: { readonly signal?: AbortSignal }) {
  const result = await client.client.callTool(
    { name: 'run_code', arguments: { code } },
    { timeout: 600_000, ...options },
  );
  const { result: value, error } = (result.structuredContent ?? {}) as { result?: unknown; error?: JsonObject };
  return { isError: result.isError === true, text: JSON.stringify(result.content), value, error };
}

test('a script finds nothing of the host', async () => {
  const names = ['process', 'require', 'module', 'fetch', 'Buffer', 'WebAssembly', 'Worker', 'os', 'std'];
  const { value } = await run(`[
    ...${JSON.stringify(names)}.map((name) => typeof globalThis[name]),
    typeof Function('return this')().process,
    typeof (async () => {}).constructor('return typeof process')(),
    await (async () => {}).constructor('return typeof process')(),
    typeof console.log.constructor('return this')().process,
    typeof Error.prepareStackTrace,
  ]`);
  expect(value).toEqual([
    ...names.map(() => 'undefined'),
    'undefined',
    'object',
    'undefined',
    'undefined',
    'undefined',
  ]);
  for (const code of ["await import('node:fs')", "import fs from 'node:fs'; fs", "require('fs')"])
    expect((await run(code)).isError).toBe(true);
});

test('no name leads to a hidden tool, to run_code or to a member of a prototype', async () => {
  const paths = [
    'tools.hidden.echo',
    'tools.notes.env',
    'tools.notes.hidden__echo',
    'tools["notes/../hidden"].echo',
    'tools.local.run_code',
    'tools.constructor.constructor',
    'tools.__proto__.toString',
    'tools.notes.__proto__',
  ];
  const tries = paths.map(
    (path) => `await (async () => ${path}({ text: 'x', name: 'PATH' }))().catch((error) => error.code)`,
  );
  const { value } = await run(`[${tries.join(', ')}]`);
  expect(value).toEqual(paths.map(() => 'TOOL_NAME_INVALID'));
});

test('a script that changes its own globals changes nothing for the gateway and for the next script', async () => {
  const poison = [
    'JSON.stringify = () => "{";',
    'Object.prototype.toJSON = () => "{";',
    'Promise.prototype.then = undefined;',
    'Map.prototype.get = () => ({});',
    'Array.prototype.map = () => [{ kind: "tool", server: "hidden", tool: "echo" }];',
  ];
  for (const line of poison) await run(`${line}\nawait tools.notes.echo({ text: 'x' })`);
  expect((await run("await tools.notes.echo({ text: 'clean' })")).value).toBe('clean');
  const { calls } = (await api.get('/api/calls?limit=100')).body;
  expect(calls.filter(({ server }: JsonObject) => server === 'hidden')).toEqual([]);
});

test('a script that exhausts memory, time, the stack, calls or output ends alone', async () => {
  const endless = { computeMs: 300 };
  const calling = { maxCalls: 50 };
  const attacks: readonly (readonly [code: string, limits?: Partial<SandboxLimits>])[] = [
    ['const all = []; for (;;) all.push([all])'],
    ['for (;;) {}', endless],
    [
      'Promise.resolve().then(function again() { return Promise.resolve().then(again) }); await new Promise(() => {})',
      endless,
    ],
    ['(function deeper() { deeper() })()'],
    ['/(a+)+$/.test("a".repeat(50) + "b")', endless],
    ['const a = Array(1e9).fill(0); a.length'],
    ['for (;;) await tools.notes.echo({ text: "x" })', calling],
    ['await Promise.all(Array.from({ length: 5_000 }, () => tools.notes.nothing()))', calling],
    ['"x".repeat(5_000_000)'],
  ];
  for (const [code, limits] of attacks) {
    using _limits = setLimits(limits);
    const { isError, text } = await run(code);
    expect([code, isError]).toEqual([code, true]);
    expect(text.length).toBeLessThan(100_000);
    expect((await api.get('/healthz')).status).toBe(200);
  }
  expect((await run('for (let at = 0; at < 100_000; at++) console.log("0123456789"); 1')).text.length).toBeLessThan(
    200_000,
  );
}, 1_200_000);

test('a caller has a limited number of scripts, and scripts above the number of processes wait', async () => {
  const leaving = new AbortController();
  const sleep = 'await tools.notes.sleep({ ms: 600_000 })';
  const running = [1, 2, 3].map(() => run(sleep, { signal: leaving.signal }).catch(() => 'left'));
  const listed = async () => (await api.get('/api/calls?status=running')).body.calls;
  await waitFor(async () => (await listed()).filter(({ tool }: JsonObject) => tool === 'run_code').length === 3);
  const refused = await run('1');
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('3 scripts in progress')]);
  leaving.abort();
  expect(await Promise.all(running)).toEqual(['left', 'left', 'left']);
  await waitFor(async () => (await listed()).length === 0);
  expect((await run('1')).value).toBe(1);
});
