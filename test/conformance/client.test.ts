import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/imports.ts';

const limitMs = 400_000;

test(
  'as a client we pass all that both revisions of the protocol require, and fail nothing unexpected',
  async () => {
    const script = join(root, 'scripts', 'conformance-client.mjs');
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
      execFile(process.execPath, [script], { timeout: limitMs - 10_000 }, (cause, stdout, stderr) =>
        resolve({ code: cause ? (cause.code ?? cause.signal) : 0, output: stdout + stderr }),
      );
    });
    expect(code, output).toBe(0);
    expect(output.match(/^\d{4}-\d\d-\d\d: as expected$/gm)).toEqual([
      '2025-11-25: as expected',
      '2026-07-28: as expected',
    ]);
  },
  limitMs,
);
