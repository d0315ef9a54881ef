import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
let gateway: TestGateway;
beforeAll(async () => {
  const config = await cli.config({
    servers: { files: fixture('legacy'), other: fixture('modern'), docs: fixture('skills') },
    profiles: { finding: { expose: 'search' } },
  });
  gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
  await waitFor(() => ['✔ files', '✔ other', '✔ docs'].every((line) => gateway.stderr().includes(line)), {
    what: 'the servers',
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const run = (...args: string[]) => cli.run(args);

describe('the command line reaches everything that the service offers [R5]', () => {
  test('resources are listed and read, as text, as JSON and into a file', async () => {
    expect((await run('resources', '--server', 'files')).stdout).toMatch(/^files +memo:\/\/one +text\/plain +one/m);
    expect(await run('resources', 'read', 'memo://one', '--server', 'files')).toMatchObject({
      code: 0,
      stdout: 'memo one\n',
    });
    const json = await run('resources', 'read', 'memo://one', '--server', 'other', '--json');
    expect(JSON.parse(json.stdout).contents).toMatchObject([{ uri: 'memo://one', text: 'memo one' }]);
    const file = directory.file('two.bin');
    expect(await run('resources', 'read', 'memo://two', '-s', 'files', '-o', file)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Wrote 4 bytes to ${file}\n`,
    });
    expect([...(await readFile(file))]).toEqual([0, 1, 2, 3]);
    expect(await run('resources', 'read', 'memo://one')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('(files, other): choose one with --server'),
    });
    expect(await run('resources', 'read', 'unknown://x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No server lists the resource 'unknown://x'"),
    });
  });

  test('skills are listed and read, and a changed one is accepted', async () => {
    expect((await run('skills')).stdout).toMatch(/^docs\/refunds +3 +ok +Process refunds/m);
    expect(await run('skills', 'read', 'refunds', 'references/policy.md')).toMatchObject({
      code: 0,
      stdout: 'Refunds within 30 days.\n',
    });
    const json = await run('skills', 'read', 'docs/team/release', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      path: 'SKILL.md',
      text: expect.stringContaining('Release a version'),
    });
    expect((await run('skills', 'read', 'refund')).stderr).toContain("There is no skill 'refund'");
    expect((await run('skills', 'accept', 'refunds')).stderr).toContain('has no change to accept');
    const change = async (description: string) => {
      const text = `---\nname: refunds\ndescription: ${description}\n---\nNew\n`;
      await run('call', 'docs/rewrite', 'path=refunds/SKILL.md', `text=${text}`);
      await waitFor(async () => (await run('skills')).stdout.includes('asks for approval until accepted'));
    };
    await change('Pay once');
    expect(JSON.parse((await run('skills', 'accept', 'refunds', '--json')).stdout)).toMatchObject({ server: 'docs' });
    await change('Pay twice');
    const accepted = await run('skills', 'accept', 'refunds');
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('Accepted: docs/refunds') });
    expect(accepted.stdout).toContain('Pay twice');
    expect((await run('skills')).stdout).toMatch(/^docs\/refunds +3 +ok +Pay twice/m);
  });

  test('prompts are listed and rendered with their arguments', async () => {
    expect((await run('prompts', '-s', 'files')).stdout).toMatch(/^files +greet +/m);
    const rendered = await run('prompts', 'get', 'files/greet', 'name=Ada');
    expect(rendered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^user\n.*Ada/) });
    expect((await run('prompts', 'get', 'greet', 'name=Ada')).stderr).toContain('choose one with --server');
    expect((await run('prompts', 'get', 'gret', '-s', 'files')).code).toBe(2);
  });

  test('a server is disconnected, connected, restarted and refreshed', async () => {
    const state = async () => {
      const { body } = await gateway.api('GET', '/api/servers/other');
      return (body as { status: { state: string } }).status.state;
    };
    expect(await run('servers', 'disconnect', 'other')).toMatchObject({ code: 0, stdout: 'Disconnected: other\n' });
    expect(await state()).toBe('disconnected');
    for (const [command, done] of [
      ['connect', 'Connected'],
      ['restart', 'Restarted'],
      ['refresh', 'Refreshed'],
    ] as const) {
      const { code, stdout } = await run('servers', command, 'other');
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(`^${done}: other  connected, `) });
      expect(await state()).toBe('connected');
    }
  });

  test('a search for tools is listed and shown like a call', async () => {
    await using client = await connectMcp(`${gateway.url}/mcp/finding`, 'modern');
    await client.client.callTool({ name: 'search_tools', arguments: { query: 'echo', server: 'files', limit: 1 } });
    const { stdout } = await run('calls', '--tool', 'search_tools');
    const [, id = ''] = /^(\w+) .*search_tools .*success .*"query":"echo"/m.exec(stdout) ?? [];
    expect((await run('calls', 'show', id)).stdout).toMatch(/^search_tools\n.*kind +search\n.*"files__echo"/s);
  });

  test('a call is followed, shown and cancelled, and events are printed as they happen', async () => {
    const followed = cli.open(['calls', 'follow', '--server', 'files']);
    const events = cli.open(['events', '--event', 'call', '--json']);
    // The streams are open when a call appears in both.
    await waitFor(
      async () => {
        await run('call', 'files/echo', 'text=first');
        return followed.stdout().includes('first') && events.stdout().includes('first');
      },
      { what: () => `a call in both streams: ${followed.stderr()} ${events.stderr()}` },
    );
    const call = cli.open(['call', 'files/sleep', 'ms=600000']);
    const [, id = ''] = await waitFor(() => /^(\w+) +running .*mcp_files_sleep/m.exec(followed.stdout()) ?? undefined, {
      what: 'the running call',
    }).then((found) => found ?? []);
    expect((await run('calls', 'show', id)).stdout).toMatch(/^mcp_files_sleep\n.*status +running.*"ms": 600000/s);
    expect(await run('calls', 'cancel', id)).toMatchObject({ code: 0, stdout: 'Cancelled: mcp_files_sleep\n' });
    expect((await call.ended).code).not.toBe(0);
    await waitFor(() => new RegExp(`^${id} +cancelled`, 'm').test(followed.stdout()), { what: 'the end of the call' });
    const shown = JSON.parse((await run('calls', 'show', id, '--json')).stdout);
    expect(shown).toMatchObject({ status: 'error', end: 'cancelled', originalName: 'sleep' });
    await waitFor(() => events.stdout().includes('"cancelled"'), { what: 'the event' });
    const [event] = events.stdout().trim().split('\n');
    expect(JSON.parse(event ?? '')).toMatchObject({ event: 'call.changed', data: { server: 'files' } });
    for (const { kill, ended } of [followed, events]) {
      kill('SIGINT');
      expect((await ended).code).toBe(130);
    }
  });
});
