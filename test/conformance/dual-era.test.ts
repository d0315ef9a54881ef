import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProgram } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { type ServedMcp, serveMcp } from '../support/serve-mcp.ts';

const server = { command: process.execPath, args: [join(root, 'test/conformance/dual-era-server.mjs')], env: {} };
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
let upstream: Awaited<ReturnType<typeof startProgram>>;
let gateway: ServedMcp;

beforeAll(async () => {
  upstream = await startProgram(server);
  gateway = await serveMcp({ subject: { url: upstream.url } });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

test.each([
  'tools-call-elicitation',
  'tools-call-sampling',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
])('a dual-era server that sends questions to legacy clients passes %s through the gateway', async (scenario) => {
  expect(gateway.toolbox.servers.status('subject')?.era).toBe('modern');
  const args = ['server', '--url', gateway.url, '--scenario', scenario, '--spec-version', '2025-11-25'];
  const { stdout } = await promisify(execFile)(process.execPath, [suite, ...args], { timeout: 100_000 });
  expect(stdout).toMatch(/Passed: [1-9].*, 0 failed/);
});

test('over stdio a legacy client that can answer questions uses the legacy era, and a modern client the modern era', async () => {
  await using served = await serveMcp({ subject: { ...server, env: { STDIO: '1' } } });
  await using legacy = await connectMcp(served.url, 'legacy', { answers: usualAnswers });
  expect(await legacy.text('test_elicitation')).toContain('accept');
  await using modern = await connectMcp(served.url, 'modern', { answers: usualAnswers });
  expect(await modern.text('test_elicitation')).not.toContain('accept');
  await using mute = await connectMcp(served.url, 'legacy');
  expect(await mute.text('test_elicitation')).not.toContain('accept');
});
