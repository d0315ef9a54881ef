import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Terminal } from '../../packages/cli/core/terminal/terminal.ts';
import { createProgram } from '../../packages/cli/create-program.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
let gateway: TestGateway;
beforeAll(async () => {
  const config = await cli.config({
    gateway: { allowPrograms: true },
    toolbox: { approval: { ask: ['*add*'] } },
    servers: { files: fixture('legacy') },
  });
  gateway = await startGatewayHere(cli, directory.file('data'), ['-c', config]);
  await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Runs a command with `--json`; returns stdout. */
async function run(args: readonly string[], untilOutput = false): Promise<string> {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const { code, stdout, stderr } = await cli.run(args.toSpliced(end, 0, '--json'), { untilOutput });
  expect({ code, stderr }).toMatchObject({ code: untilOutput ? 130 : 0 });
  return stdout;
}

/** Commands whose JSON other tests read: they need a model, a registry, skills, a changed tool, a server that waits, people or a stopped gateway. */
const elsewhere = [
  ...['chat', 'registry search', 'registry show', 'registry add', 'pins accept', 'secrets rotate', 'secrets discard'],
  ...['backup', 'restore', 'sandbox learn', 'sandbox diff', 'sandbox accept', 'sandbox allow'],
  ...['servers accept', 'elevations request', 'elevations grant', 'elevations deny', 'elevations end'],
  ...['skills read', 'skills accept', 'users disable', 'users enable', 'accounts connect', 'accounts disconnect'],
];

test('every command with --json prints one JSON document, or JSON lines', async () => {
  const ran = new Set<string>();
  const paths = commandsWithJson(createProgram({ width: 100 } as Terminal, async () => {}));

  async function read(...args: string[]): Promise<never> {
    const path = paths.find((one) => args.slice(0, one.split(' ').length).join(' ') === one);
    ran.add(path ?? '');
    return JSON.parse(await run(args)) as never;
  }

  async function readLines(args: string[], untilOutput: boolean): Promise<void> {
    ran.add(paths.find((one) => args.slice(0, one.split(' ').length).join(' ') === one) ?? '');
    const lines = (await run(args, untilOutput)).split('\n').filter((line) => line !== '');
    if (untilOutput) expect(lines).not.toEqual([]);
    for (const line of lines) expect(JSON.parse(line)).toEqual(expect.any(Object));
  }

  /** The id of the first item of a list; the gateway may store it after it has answered. */
  async function waitForFirst(list: string): Promise<string> {
    const readFirst = async () => ((await read(list)) as readonly { readonly id: string }[])[0]?.id;
    return String(await waitFor(readFirst, { what: list }));
  }

  /** Starts a call that needs approval, and returns the ids. */
  async function startCall(): Promise<{ readonly id: string; readonly callId: string }> {
    const body = { arguments: { a: 1, b: 2 }, detached: true };
    void gateway.api('POST', '/api/tools/mcp_files_add/call', body).catch(() => {});
    return waitFor(async () => ((await read('approvals')) as unknown as { id: string; callId: string }[])[0], {
      what: 'the approval',
    }) as Promise<{ id: string; callId: string }>;
  }

  const { command, args = [] } = fixture('legacy') as { command: string; args?: string[] };
  const program = ['--command', command];
  await read('servers', 'test', 'more', ...program, '--', ...args);
  await read('servers', 'add', 'more', ...program, '--', ...args);
  await read('servers', 'edit', 'more', '--description', 'more files');
  for (const act of ['disconnect', 'connect', 'restart', 'refresh', 'disable', 'enable', 'remove'])
    await read('servers', act, 'more');
  const lists = ['resources', 'prompts', 'skills', 'rules', 'keys', 'users', 'accounts', 'profiles', 'pins'];
  for (const list of ['servers', 'tools', ...lists, 'assistants']) await read(list);
  for (const list of [...lists, 'calls']) await read(list, 'list');
  await read('assistants', 'list');
  for (const one of ['check', 'doctor', 'fleet', 'models', 'calls']) await read(one);
  const [{ uri }] = (await read('resources')) as unknown as [{ uri: string }];
  await read('resources', 'read', uri);
  const [{ name: prompt }] = (await read('prompts')) as unknown as [{ name: string }];
  await read('prompts', 'get', `files/${prompt}`, 'name=Ada');
  await read('call', 'files/echo', 'text=hi');
  const ended = await waitForFirst('calls');
  await read('calls', 'show', ended);
  await read('policy', 'check');
  await read('flows', 'check');
  await read('policy', 'test');
  await read('policy', 'set', 'asks', '--when', 'false', '--then', 'ask');
  await read('policy', 'rules');
  await read('policy', 'remove', 'asks');
  await read('policy', 'explain', ended);
  await read('policy', 'replay');
  await read('policy', 'budgets');
  await read('tools', 'report');
  await read('flows', 'check');
  await read('sandbox', 'show');
  await read('approvals', 'allow', (await startCall()).id, '--scope', 'tool');
  const rule = await waitForFirst('rules');
  await read('rules', 'revoke', rule);
  await read('approvals', 'deny', (await startCall()).id);
  await read('calls', 'cancel', (await startCall()).callId);
  const { id: key } = (await read('keys', 'create', 'ci')) as { id: string };
  await read('keys', 'revoke', key);
  await writeFile(directory.file('script.ts'), "'done'");
  await read('scripts', 'save', 'done', directory.file('script.ts'));
  await read('scripts');
  await read('scripts', 'list');
  await read('scripts', 'show', 'done');
  await read('scripts', 'remove', 'done');
  await read('profiles', 'create', 'team');
  await read('profiles', 'edit', 'team', '--description', 'ours');
  await read('profiles', 'show', 'team');
  await read('profiles', 'remove', 'team');
  await read('assistants', 'add', 'Ada');
  await read('assistants', 'edit', 'Ada', '--description', 'helps');
  await read('assistants', 'show', 'Ada');
  await read('assistants', 'remove', 'Ada');
  await read('models', 'list', 'demo');
  await read('models', 'add', 'Own', '--url', 'http://127.0.0.1:9/v1', '--no-key');
  await read('models', 'remove', 'Own');
  await read('roles', 'create', 'auditor', '--title', 'Auditor', '--permission', 'tools.read');
  await read('roles', 'edit', 'auditor', '--description', 'Reads');
  await read('roles');
  await read('roles', 'list');
  await read('roles', 'remove', 'auditor');
  for (const one of [['elevations'], ['elevations', 'list']]) await read(...one);
  await read('pins', 'changes');
  await read('connect', 'cursor', '--file', directory.file('cursor.json'));
  await writeFile(directory.file('other.json'), JSON.stringify({ mcpServers: { one: { command: 'x' } } }));
  await read('import', directory.file('other.json'));
  await read('audit', 'verify');
  await readLines(['audit', 'export'], false);
  await readLines(['logs', 'files'], false);
  for (const follow of [['events'], ['calls', 'follow'], ['inspect', 'files']]) {
    const reading = readLines(follow, true);
    const repeated = setInterval(() => {
      void gateway.api('POST', '/api/tools/mcp_files_echo/call', { arguments: { text: 'again' } });
    }, 200);
    await reading.finally(() => clearInterval(repeated));
  }
  expect(paths.filter((path) => !ran.has(path) && !elsewhere.includes(path))).toEqual([]);
});

/** The commands with `--json`, those with more words first. */
function commandsWithJson(parent: Command, path = ''): readonly string[] {
  return parent.commands
    .flatMap((command) => {
      const own = `${path}${command.name()}`;
      const hasJson = command.options.some(({ long }) => long === '--json');
      return [...commandsWithJson(command, `${own} `), ...(hasJson ? [own] : [])];
    })
    .sort((one, other) => other.split(' ').length - one.split(' ').length);
}
