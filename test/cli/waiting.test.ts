import { appendFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

test('a command waits for a slow server up to the timeout of the server, and says so [O4]', async () => {
  await using dir = await tempDir();
  const gate = dir.file('gate');
  const late = {
    ...fixture('slow-start', { START_FILE: gate, START_COUNT: '100' }),
    timeout: '300s',
    protocol: 'legacy',
  };
  await writeFile(dir.file('toolwharf.json'), JSON.stringify({ servers: { late } }));
  const command = cliIn(dir).open(['call', 'mcp_late_echo', 'text=hello']);
  await waitFor(() => /^Waiting for 'late' since \d+ s, at most 300 s; Ctrl-C skips$/m.test(command.stderr()), {
    what: 'the note',
  });
  // The next reminder comes after more than the ten seconds that other toolboxes wait.
  await waitFor(() => command.stderr().match(/^Waiting for/gm)?.length === 2, { what: 'the reminder' });
  await appendFile(gate, '\n'.repeat(100));
  expect(await command.ended).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
});

test('a command that needs one server does not wait for the others [O4]', async () => {
  await using dir = await tempDir();
  const servers = { quick: fixture('legacy'), stuck: { ...fixture('hang-on-start'), timeout: '300s' } };
  await writeFile(dir.file('toolwharf.json'), JSON.stringify({ servers }));
  const { run } = cliIn(dir);
  const called = await run(['call', 'mcp_quick_echo', 'text=hello']);
  expect(called).toMatchObject({ code: 0, stdout: 'hello\n', stderr: '' });
  const listed = await run(['tools', '--server', 'quick', '--json']);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('mcp_quick_echo'), stderr: '' });
});

test('Ctrl-C skips the servers that a command waits for, and the next one cancels the command [O4]', async () => {
  await using dir = await tempDir();
  const servers = { quick: fixture('legacy'), stuck: { ...fixture('hang-on-start'), timeout: '300s' } };
  await writeFile(dir.file('toolwharf.json'), JSON.stringify({ servers }));
  const command = cliIn(dir).open(['tools']);
  await waitFor(() => command.stderr().includes("Waiting for 'stuck' since"), { what: 'the note' });
  command.kill('SIGINT');
  const { code, stdout, stderr } = await command.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('echo') });
  expect(stderr).toContain("Continuing without 'stuck'. Press Ctrl-C again to cancel.");
  expect(stderr).toContain("Server 'stuck' is unavailable: no response yet");
  expect(stderr).not.toContain('disconnected');

  await writeFile(
    dir.file('toolwharf.json'),
    JSON.stringify({ servers: { stuck: { ...servers.stuck, required: true } } }),
  );
  const required = cliIn(dir).open(['tools']);
  await waitFor(() => required.stderr().includes("Waiting for 'stuck' since"), { what: 'the note' });
  required.kill('SIGINT');
  expect((await required.ended).code).toBe(130);
});
