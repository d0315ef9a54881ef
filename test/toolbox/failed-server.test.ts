import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { createBridge } from '../../packages/toolwharf/bridges/bridge.ts';
import { createLog, createToolbox, type LogEntry } from '../../packages/toolwharf/index.ts';
import { root } from '../support/imports.ts';

const config = { servers: { gone: { command: 'no-such-program-anywhere' } } };

afterEach(() => void vi.restoreAllMocks());

/** Collects the output on stderr. */
function watchStderr(): string[] {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  return written;
}

test('without a log, the library warns about a failed server on stderr and suggests once where to look [A6, N7]', async () => {
  const program = `
    import { createToolbox } from ${JSON.stringify(join(root, 'packages', 'toolwharf', 'index.ts'))};
    for (const name of ['gone', 'lost']) {
      await using _toolbox = await createToolbox({ servers: { [name]: { command: 'no-such-program-anywhere' } } });
    }`;
  const args = ['--input-type=module', '--eval', program];
  const { stderr } = await promisify(execFile)(process.execPath, args);
  expect(stderr).toMatch(/^Toolwharf WARNING: MCP server 'gone' is not available and skipped: Command not found/m);
  expect(stderr).toMatch(/^Toolwharf WARNING: MCP server 'lost' is not available/m);
  expect(stderr.match(/toolbox\.servers\.list\(\)/g)).toHaveLength(1);
});

test('`log: false` discards warnings, and a log receives them instead of stderr [N7]', async () => {
  const written = watchStderr();
  const entries: LogEntry[] = [];
  await using _silent = await createToolbox(config, { log: false });
  await using _logged = await createToolbox(config, { log: createLog((entry) => entries.push(entry)) });
  expect(written).toEqual([]);
  expect(entries).toContainEqual(expect.objectContaining({ level: 'warning', event: 'server.skipped' }));
});

test('the bridge logs a failed server as a warning [A6, N7]', async () => {
  const entries: LogEntry[] = [];
  await using bridge = await createBridge(config, { log: createLog((entry) => entries.push(entry)) });
  expect(bridge.getToolsForAgent()).toEqual([]);
  expect(entries.filter(({ event }) => event === 'server.skipped')).toMatchObject([
    { level: 'warning', message: expect.stringContaining("'gone' is not available"), fields: { server: 'gone' } },
  ]);
  const written = watchStderr();
  await using _unlogged = await createBridge(config);
  expect(written.join('')).toContain("Toolwharf WARNING: MCP server 'gone'");
});
