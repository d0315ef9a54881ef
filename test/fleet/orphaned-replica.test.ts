import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

const clock = fileURLToPath(new URL('./support/movable-clock.mjs', import.meta.url));

test('a replica ends when the process of its test is killed', async () => {
  // The process of the test starts a replica that would run for ever.
  const harness = `
    const { spawn } = require('node:child_process');
    const args = ['--import', ${JSON.stringify(clock)}, '--eval', 'setInterval(() => {}, 1e9)'];
    const replica = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    replica.on('spawn', () => console.log(replica.pid));`;
  const child = spawn(process.execPath, ['--eval', harness], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(child.stdout, 'data');
  const replica = Number(String(output));
  expect(isAlive(replica)).toBe(true);
  child.kill('SIGKILL');
  await waitFor(() => !isAlive(replica), { what: 'the end of the replica' });
});
