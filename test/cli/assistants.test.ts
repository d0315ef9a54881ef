import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { atTerminal } from '../support/at-terminal.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const key = 'sk-very-secret-key';

let model: ScriptedChat;
let config: string;
beforeAll(async () => {
  model = await startScriptedChat([], { apiKey: key });
  config = await cli.config({ servers: { files: fixture('legacy') } });
});
afterAll(() => model[Symbol.asyncDispose]());

/** Runs commands over a data directory, in this process and without a terminal. */
function over(name: string, more: Record<string, string> = {}) {
  const data = directory.file(name);
  const env = { TOOLWHARF_DATA_DIR: data, HOME: directory.path, THE_KEY: key, ...more };
  async function run(...args: string[]) {
    const terminal = atTerminal(env, { isTTY: false });
    const code = await terminal.run(...args, '-c', config);
    return { code, stdout: terminal.stdout(), said: terminal.screen().replace(/^Using .*\n/, '') };
  }
  return { data, env, run };
}

describe.each(['the store', 'a running gateway'])('on %s', (where) => {
  const { data, run } = over(where);
  let gateway: AsyncDisposable | undefined;
  beforeAll(async () => {
    if (where !== 'the store') gateway = await startGatewayHere(cli, data, ['-c', config]);
  });
  afterAll(() => gateway?.[Symbol.asyncDispose]());

  test('providers are added, listed and removed, and their keys are shown nowhere [R17]', async () => {
    const added = await run('models', 'add', 'Cloud', '--url', model.url, '--key-env', 'THE_KEY');
    expect(added).toEqual({ code: 0, stdout: 'Added: Cloud  1 model\n', said: 'Added: Cloud  1 model\n' });
    const twice = await run('models', 'add', 'cloud', '--url', model.url, '--no-key');
    expect(twice).toMatchObject({ code: 2, said: expect.stringContaining("A provider named 'cloud' already exists") });
    const listed = await run('models');
    expect(listed.stdout).toContain(`Cloud  openai-compatible, ${model.url}\n  Cloud/scripted\n`);
    expect(listed.stdout).toMatch(/^Demo {2}demo, built-in$/m);
    const json = await run('models', '--json');
    expect(JSON.parse(json.stdout)[0]).toMatchObject({ name: 'Cloud', hasKey: true, models: [{ id: 'scripted' }] });
    expect(`${added.said}${listed.said}${json.said}`).not.toContain(key);
    expect((await run('models', 'list', 'cloud')).stdout).toContain('Cloud/scripted');
    expect(await run('models', 'remove', 'demo')).toMatchObject({ code: 2 });

    const broken = await run('models', 'add', 'Broken', '--url', model.url, '--no-key');
    expect(broken).toMatchObject({ code: 0, stdout: 'Added: Broken  its models could not be listed\n' });
    expect((await run('models')).stdout).toMatch(/^Broken .*\n {2}! .*key/m);
    expect(await run('models', 'remove', 'Broken')).toMatchObject({ code: 0, stdout: 'Removed: Broken\n' });
    expect(await run('models', 'remove', 'Broken')).toMatchObject({ code: 2 });
  });

  test('assistants are made, shown, changed and removed', async () => {
    const made = await run(
      ...[
        'assistants',
        'add',
        'Writer',
        '--model',
        'cloud/scripted',
        '--servers',
        'files',
        '--approval',
        'trusted-only',
      ],
      ...['--instructions', 'Be brief.', '--without-tool', 'files/fail', '--trusted-tool', 'files/echo'],
      ...['--max-tokens', '5000', '--description', 'Writes'],
    );
    expect(made).toMatchObject({ code: 0, said: 'Added: Writer\n' });
    expect(await run('assistants', 'add', 'writer')).toMatchObject({ code: 2 });
    const shown = await run('assistants', 'show', 'writer');
    for (const part of [
      'Writes',
      'Cloud/scripted',
      'files/fail',
      'trusted-only',
      'files/echo',
      '20 steps, 5000 tokens',
    ])
      expect(shown.stdout).toContain(part);
    expect(shown.stdout).toMatch(/\n\nBe brief\.\n$/);

    const instructions = directory.file('instructions.md');
    await writeFile(instructions, 'Be long.');
    const changes = ['--rename', 'Author', '--max-tokens', '0', '--instructions', `@${instructions}`, '--json'];
    const changed = JSON.parse((await run('assistants', 'edit', 'Writer', ...changes)).stdout);
    expect(changed).toMatchObject({ name: 'Author', instructions: 'Be long.', trustedTools: ['files/echo'] });
    expect(changed).not.toHaveProperty('maxTokens');
    expect((await run('assistants', 'edit', 'Author', '--max-steps', '900')).said).toContain('must be at most 200');
    expect((await run('assistants', 'edit', 'Author', '--max-steps', 'many')).said).toContain('must be a whole number');
    expect((await run('assistants', 'edit', 'Author', '--instructions', '@/no/such')).said).toContain('ENOENT');
    expect((await run('assistants')).stdout).toMatch(/^\w{8} {2}Author +Cloud\/scripted +trusted-only +files$/m);
    expect(await run('assistants', 'remove', 'Author')).toMatchObject({ code: 0, said: 'Removed: Author\n' });
    expect(await run('assistants', 'remove', 'Author')).toMatchObject({ code: 2 });
  });
});

test('listing creates no store, and adding creates one with the key sealed [R17]', async () => {
  const { data, run } = over('sealed');
  expect((await run('assistants')).said).toContain('No assistants.');
  expect((await run('models')).stdout).toMatch(/^Demo {2}/);
  expect(existsSync(`${data}/toolwharf.db`)).toBe(false);
  await run('models', 'add', 'Cloud', '--url', model.url, '--key-env', 'THE_KEY');
  expect(await readFile(`${data}/toolwharf.db`, 'latin1')).not.toContain(key);
});

test('a key is read from stdin, from a variable or from the person, and is never an argument', async () => {
  const { run, env } = over('keys');
  const piped = await cli.run(['models', 'add', 'Piped', '--url', model.url], { env, input: `${key}\n` });
  expect(piped).toMatchObject({ code: 0, stdout: 'Added: Piped  1 model\n', stderr: '' });
  const typed = atTerminal(env);
  const adding = typed.run('models', 'add', 'Typed', '--url', model.url);
  await typed.answer(/API key for Typed \(Enter for none\): /, key);
  expect(await adding).toBe(0);
  expect(typed.screen()).not.toContain(key);
  expect(typed.stdout()).toBe('Added: Typed  1 model\n');

  const none = await cli.run(['models', 'add', 'OpenAI', '--kind', 'openai'], { env });
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('openai needs an API key') });
  expect((await run('models', 'add', 'X')).said).toContain('needs --kind, or --url');
  expect((await run('models', 'add', 'X', '--kind', 'openai-compatible')).said).toContain('needs --url');
  const unset = await run('models', 'add', 'X', '--kind', 'openai', '--key-env', 'NO_SUCH');
  expect(unset).toMatchObject({ code: 2, said: expect.stringContaining('NO_SUCH is not set') });
});

test('a provider from the environment needs no adding', async () => {
  const { run } = over('environment', { OPENAI_API_KEY: key, OPENAI_BASE_URL: model.url });
  const { stdout } = await run('models');
  expect(stdout).toMatch(/^OpenAI {2}openai, .*environment$/m);
  expect(stdout).toContain('OpenAI/scripted');
  expect((await run('models', 'remove', 'openai')).said).toContain('its key comes from the environment');
});
