import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startHttp, tempDir } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('support/walk-of-a-call.ts', import.meta.url));

/** The files that ARCHITECTURE.md names in its walk of a call over Streamable HTTP, in the order of their first mention. */
function walk(): string[] {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, section = ''] = /### An MCP client calls a tool through the gateway\n(.*?)\*\*/s.exec(page) ?? [];
  // What follows "or" in parentheses replaces the file before it: another era or transport.
  const taken = section.replaceAll(/\(or [^)]*\)/gs, '');
  return [...new Set([...taken.matchAll(/`([a-z0-9/-]+\.ts)`/g)].map(([, name = '']) => name))];
}

test('the walk of a call in ARCHITECTURE.md names at most 20 files, and a real call runs every one of them', async () => {
  await using server = await startHttp('legacy-http');
  await using directory = await tempDir();
  const { stdout } = await run(process.execPath, [program, server.url, directory.path]);
  const { text, files } = JSON.parse(stdout) as { text: string; files: string[] };
  const named = walk();
  expect(text).toContain('ahoy');
  expect(named.length).toBeGreaterThan(10);
  expect(named.length).toBeLessThanOrEqual(20);
  expect(named.filter((name) => !files.includes(name))).toEqual([]);
  // 128, and on a busy machine those of work in the background that happens to run beside the call.
  expect(files.length).toBeLessThan(140);
});
