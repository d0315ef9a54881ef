import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createToolbox } from '../../packages/toolwharf/index.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { testProgram } from '../support/test-program.ts';
import { waitFor } from '../support/wait-for.ts';

const pidsIn = async (file: string) => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
};
const handles = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /Process|Pipe|TCP|Timeout/.test(name))
    .sort();

test('repeatedly connecting and closing leaves no process and no open handle [A2]', async () => {
  await using dir = await tempDir();
  const before = { processes: new Set(descendantsOf(process.pid)), handles: handles() };
  // Set ROUNDS for more.
  const rounds = Number(process.env.ROUNDS ?? 20);
  const atOnce = 10;
  const grandchildren: number[] = [];
  for (let done = 0; done < rounds; done += atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, index) => {
        const file = dir.file(`pids-${done + index}`);
        await using toolbox = await createToolbox(
          { servers: { s: { ...fixture('grandchildren', { PIDS: file }), protocol: 'legacy', timeout: '60s' } } },
          { startWaitMs: 60_000 },
        );
        expect(toolbox.servers.get('s')?.status.state).toBe('connected');
        grandchildren.push(...(await pidsIn(file)));
      }),
    );
  }
  expect(grandchildren).toHaveLength(rounds * 2);
  expect(grandchildren.filter(isAlive)).toEqual([]);
  expect(descendantsOf(process.pid).filter((pid) => !before.processes.has(pid))).toEqual([]);
  await waitFor(() => handles().length <= before.handles.length, {
    what: `${handles()} to go back to ${before.handles}`,
  });
});

const ownerProgram = testProgram(new URL('./toolbox-owner.ts', import.meta.url));

/** A separate program that opens a toolbox and then ends in the given way. */
async function startOwner(
  dir: { file(name: string): string },
  ending: string,
): Promise<{ owner: ChildProcess; pids: number[] }> {
  const servers = { a: fixture('grandchildren', { PIDS: dir.file('pids') }), b: fixture('ignore-sigterm') };
  const owner = spawn(process.execPath, [ownerProgram, JSON.stringify({ servers, ending })], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(owner.stdout as NodeJS.ReadableStream, 'data');
  return { owner, pids: [...JSON.parse(String(line)), ...(await pidsIn(dir.file('pids')))] };
}

const endings: [string, string, (owner: ChildProcess) => void][] = [
  ['SIGKILL', '', (owner) => owner.kill('SIGKILL')],
  ['SIGTERM without a handler', '', (owner) => owner.kill('SIGTERM')],
  ['SIGINT without a handler', '', (owner) => owner.kill('SIGINT')],
  ['an uncaught exception', 'throw', () => {}],
  ['process.exit without closing', 'exit', () => {}],
];
for (const [how, ending, end] of endings) {
  test.concurrent(`servers and their child processes end with their owner when it ends by ${how} [A2]`, async () => {
    await using dir = await tempDir();
    const { owner, pids } = await startOwner(dir, ending);
    expect(pids).toHaveLength(4);
    const exited = owner.exitCode !== null || owner.signalCode !== null ? Promise.resolve() : once(owner, 'exit');
    end(owner);
    await exited;
    await waitFor(() => !pids.some(isAlive), { what: 'the end of all processes' });
  });
}
