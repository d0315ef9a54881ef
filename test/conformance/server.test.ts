import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/imports.ts';

const limitMs = 180_000;

/** Runs the script to its end; returns its exit code and the required scenarios of its table. */
function runScript(...args: string[]): Promise<{ code: unknown; output: string; rows: string[][] }> {
  const script = join(root, 'scripts', 'conformance-server.mjs');
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { timeout: limitMs - 10_000 }, (cause, stdout, stderr) => {
      const rows = stdout.match(/^\d{4}-\d\d-\d\d .*\d+\/\d+.*$/gm) ?? [];
      resolve({
        code: cause ? (cause.code ?? cause.signal) : 0,
        output: stdout + stderr,
        rows: rows.map((row) => row.split(/ +/).slice(0, 3)),
      });
    });
  });
}

test(
  'a server of either era passes the same scenarios through the gateway as directly, for both revisions of the protocol',
  async () => {
    const direct = await runScript('--direct');
    expect(direct.code, direct.output).toBe(0);
    expect(direct.rows).toEqual([
      ['2025-11-25', 'legacy', '30/30'],
      ['2026-07-28', 'modern', '37/37'],
    ]);
    const through = await runScript();
    expect(through.code, through.output).toBe(0);
    expect(through.rows).toEqual([
      ['2025-11-25', 'legacy', '30/30'],
      ['2026-07-28', 'legacy', '37/37'],
      ['2025-11-25', 'modern', '30/30'],
      ['2026-07-28', 'modern', '37/37'],
    ]);
  },
  limitMs,
);
