import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGate, type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { atTerminal } from '../support/at-terminal.ts';
import { filesystemServer, fixture, tempDir } from '../support/fixtures.ts';
import { startGateway, startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { descendantsOf, isAlive } from '../support/processes.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);

let model: ScriptedChat;
let config: string;
beforeAll(async () => {
  model = await startScriptedChat([]);
  config = await cli.config({ servers: { files: fixture('legacy') } });
});
afterAll(() => model[Symbol.asyncDispose]());

/** A new data directory, in which the scripted model answers. */
async function room(name: string) {
  const data = directory.file(name);
  const env = { TOOLWHARF_DATA_DIR: data };
  const added = await cli.run(['models', 'add', 'Scripted', '--url', model.url, '--no-key', '-c', config], { env });
  expect(added).toMatchObject({ code: 0, stdout: 'Added: Scripted  1 model\n' });
  const made = await cli.run(
    ['assistants', 'add', 'Helper', '--model', 'Scripted/scripted', '--servers', 'files', '-c', config],
    { env },
  );
  expect(made).toMatchObject({ code: 0, stdout: 'Added: Helper\n', stderr: '' });
  const args = (...more: string[]) => ['chat', '-c', config, ...more];
  return {
    data,
    env,
    chat: (...more: string[]) => cli.run(args(...more), { env }),
    start: (...more: string[]) => cli.start(args(...more), { env }),
  };
}

const call = (name: string, args: object = {}) => ({ name: `mcp_files_${name}`, args });

describe('toolwharf chat without anything set up', () => {
  test('toolwharf chat works without any setup, with the demo model, which says that it is scripted [A5]', async () => {
    const notes = directory.file('notes');
    await mkdir(notes);
    await writeFile(`${notes}/todo.txt`, 'buy apples');
    const demo = await cli.config({ servers: { files: filesystemServer(notes) } });
    const env = { TOOLWHARF_DATA_DIR: directory.file('fresh') };
    const hello = await cli.run(['chat', '-c', demo, '--once', 'hello'], { env });
    expect(hello).toMatchObject({ code: 0, stderr: '' });
    expect(hello.stdout).toContain('scripted');

    const listed = await cli.run(['chat', '-c', demo, '--auto', '--once', 'list the files'], { env });
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain('todo.txt');
    expect(listed.stderr).toMatch(/^● files list_directory {2}\{"path":".*notes"\}\n {2}✓ [\d.]+ m?s .*todo\.txt$/m);
    // The conversation still has its messages.
    const again = await cli.run(['chat', '-c', demo, '--continue', '--json', '--once', 'hello'], { env });
    expect(JSON.parse(again.stdout).conversation).toMatchObject({ title: 'list the files', owner: 'admin' });
  });
});

describe('toolwharf chat --once', () => {
  let here: Awaited<ReturnType<typeof room>>;
  beforeAll(async () => {
    here = await room('once');
  });

  test('chat --attach sends text files and images, and refuses other files', async () => {
    const [note, binary] = [directory.file('note.txt'), directory.file('data.bin')];
    await writeFile(note, 'high water is at six');
    await writeFile(binary, Buffer.from([0, 1, 2]));
    model.push({ text: 'At six.' });
    const sent = await here.chat('--attach', note, '--once', 'When is high water?');
    expect(sent).toMatchObject({ code: 0, stdout: 'At six.\n' });
    expect(model.requests.at(-1)?.last).toContain('high water is at six');
    const refused = await here.chat('--attach', binary, '--once', 'Read it');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('data.bin is neither an image');
    const missing = await here.chat('--attach', directory.file('none.txt'), '--once', 'Read it');
    expect(missing.stderr).toContain('cannot be attached');
  });

  test('chat --once prints the text on stdout and the calls on stderr, and --auto asks nothing [R16]', async () => {
    const raw = 'It is **3**,\u001b[31m\u202e as it is.';
    model.push(
      { text: 'Let me add.', calls: [call('add', { a: 1, b: 2 }), call('echo', { text: 'hi\u001b[2J' })] },
      { text: raw },
    );
    const { code, stdout, stderr } = await here.chat('--auto', '--once', 'What is 1 + 2?');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Let me add.\n\n${raw}\n` });
    expect(stderr).toContain('● files add  {"a":1,"b":2}\n');
    expect(stderr).toMatch(/^ {2}✓ files add [\d.]+ m?s 3$/m);
    expect(stderr).toMatch(/^ {2}✓ files echo [\d.]+ m?s hi⟨U\+001B⟩\[2J$/m);
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool')).toMatchObject([
      { content: '3' },
      { content: 'hi\u001b[2J' },
    ]);
  });

  test('a tool error reaches the model, which continues [R15]', async () => {
    model.push({ calls: [call('fail')] }, { text: 'It failed.' });
    const { code, stdout, stderr } = await here.chat('--auto', '--once', 'Try it');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'It failed.\n' });
    expect(stderr).toMatch(/^ {2}✗ [\d.]+ m?s this tool always fails$/m);
  });

  test('a call without an approver is denied, and the message says how to allow it [R14, R16]', async () => {
    const file = directory.file('unwritten');
    model.push({ calls: [call('write', { path: file, text: 'x' })] }, { text: 'I may not.' });
    const { code, stdout, stderr } = await here.chat('--once', 'Write it');
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'I may not.\n' });
    expect(stderr).toContain('the approval mode is always-ask, and no approver is available');
    expect(stderr).toContain('→ No terminal is available to approve files write: use --auto to allow every tool');
    expect(existsSync(file)).toBe(false);
    expect(model.requests.at(-1)?.last).toContain('was denied');
  });

  test('--trusted-only runs trusted tools without approval and denies the others [R16]', async () => {
    const edited = await cli.run(['assistants', 'edit', 'helper', '--trusted-tool', 'files/echo', '-c', config], {
      env: here.env,
    });
    expect(edited).toMatchObject({ code: 0, stdout: 'Changed: Helper\n' });
    model.push({ calls: [call('echo', { text: 'trusted' }), call('add', { a: 1, b: 1 })] }, { text: 'Half of it.' });
    const { code, stderr } = await here.chat('--trusted-only', '--once', 'Both');
    expect(code).toBe(5);
    expect(stderr).toMatch(/✓ files echo [\d.]+ m?s trusted/);
    expect(stderr).toContain('mcp_files_add is not a trusted tool, and no approver is available');
  });

  test('--json prints one document with parts, usage and conversation', async () => {
    model.push({ calls: [call('add', { a: 2, b: 2 })] }, { text: ['Fo', 'ur.'] });
    const { code, stdout, stderr } = await here.chat('--auto', '--json', '--once', 'What is 2 + 2?');
    expect(code).toBe(0);
    expect(stderr).toContain('● files add');
    expect(JSON.parse(stdout)).toMatchObject({
      text: 'Four.',
      message: {
        role: 'assistant',
        status: 'complete',
        model: expect.stringContaining('scripted'),
        usage: { inputTokens: 20, outputTokens: 10 },
        durationMs: expect.any(Number),
        parts: [
          { type: 'tool-call', server: 'files', originalName: 'add', status: 'success', arguments: { a: 2, b: 2 } },
          { type: 'step' },
          { type: 'text', text: 'Four.' },
        ],
      },
      conversation: { title: 'What is 2 + 2?', status: 'idle' },
    });
  });

  test('a prompt can be read from stdin', async () => {
    model.push({ text: 'Read.' });
    const { code, stdout } = await cli.run(['chat', '-c', config], { env: here.env, input: 'From a pipe\n' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Read.\n' });
    expect(model.requests.at(-1)?.last).toBe('From a pipe\n');
  });

  test('chat options name servers, an assistant and an earlier conversation', async () => {
    model.push({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' });
    const first = await here.chat('--servers', '', '--json', '--once', 'first');
    expect(model.requests.at(-1)?.tools).toEqual([]);
    const { id } = JSON.parse(first.stdout).conversation;
    expect((await here.chat('--continue', '--once', 'second')).stdout).toBe('Two.\n');
    // The change applied to one run only.
    expect(model.requests.at(-1)?.tools).toContain('mcp_files_echo');
    await here.chat('--conversation', id.slice(0, 8), '--assistant', 'HELPER', '--once', 'third');
    const said = model.requests.at(-1)?.messages.map(({ content }) => content);
    expect(said).toEqual(expect.arrayContaining(['first', 'One.', 'second', 'Two.', 'third']));
  });

  test('a model error ends chat with exit code 4 and a hint', async () => {
    model.push({ status: 401, error: 'Incorrect API key provided' });
    const { code, stdout, stderr } = await here.chat('--once', 'hello');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^ERROR: .*key/m);
    expect(stderr).not.toContain('WARNING');
  });

  test('an answer that reaches a limit does not exit with 0', async () => {
    await cli.run(
      ['assistants', 'add', 'Short', '--model', 'Scripted/scripted', '--servers', 'files', '--max-steps', '1'],
      {
        env: here.env,
      },
    );
    model.push({ calls: [call('add', { a: 1, b: 1 })] });
    const { code, stderr } = await here.chat('--assistant', 'Short', '--auto', '--once', 'Go');
    expect(code).toBe(1);
    expect(stderr).toContain('limit of 1 steps');
  });

  test.each([
    [['--assistant', 'Helpr'], "There is no assistant 'Helpr'; did you mean 'Helper'?"],
    [['--model', 'Scripted'], 'Which model of Scripted?'],
    [['--servers', 'fils'], "There is no server 'fils'; did you mean 'files'?"],
    [['--conversation', 'ffffffff'], "There is no conversation 'ffffffff'"],
    [['--conversation', 'a', '--continue'], 'either --conversation or --continue'],
    [['--auto', '--always-ask'], 'Use only one of --auto, --always-ask and --trusted-only'],
  ])('wrong usage of chat ends with exit code 2 and says why: %j', async (args, message) => {
    const terminal = atTerminal({ ...here.env, HOME: directory.path }, { isTTY: false });
    expect(await terminal.run('chat', '-c', config, ...args, '--once', 'x')).toBe(2);
    expect(terminal.stdout()).toBe('');
    expect(terminal.screen()).toContain(message);
  });

  test('an empty prompt is wrong usage', async () => {
    const { code, stderr } = await cli.run(['chat'], { env: here.env, input: ' \n' });
    expect(code).toBe(2);
    expect(stderr).toContain('The prompt is empty');
  });

  test('Ctrl-C in the middle of an answer ends it and leaves no process behind [A2]', async () => {
    const gate = createGate();
    model.push({ text: 'This takes', hold: gate });
    const { child, pid, ended, stdout: said } = here.start('--once', 'Take your time');
    await waitFor(() => said().includes('This takes'), { what: 'the beginning of the answer' });
    const servers = descendantsOf(pid);
    expect(servers.length).toBeGreaterThan(0);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: 'This takes\n' });
    await waitFor(() => !servers.some(isAlive), { what: 'the end of all servers' });
    expect(model.abandoned).toBeGreaterThan(0);
    model.push({ text: 'Back.' });
    const next = await here.chat('--continue', '--json', '--once', 'And now?');
    expect(JSON.parse(next.stdout)).toMatchObject({ text: 'Back.', conversation: { title: 'Take your time' } });
  });
});

describe('with a running gateway', () => {
  let here: Awaited<ReturnType<typeof room>>;
  let gateway: TestGateway;
  beforeAll(async () => {
    here = await room('gateway');
    gateway = await startGatewayHere(cli, here.data, ['-c', config]);
    await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const chat = (...args: string[]) => cli.run(['chat', ...args], { env: here.env });

  test('chat uses a running gateway, and its approval can be answered elsewhere [R14]', async () => {
    const file = directory.file('written');
    model.push({ calls: [call('write', { path: file, text: 'hello' })] }, { text: 'Written.' });
    const { ended, stderr, pid } = cli.start(['chat', '--wait', '--once', 'Write it'], { env: here.env });
    const told = /files write awaits approval: run `toolwharf approvals allow (\w{8})`/;
    const id = await waitFor(() => told.exec(stderr())?.[1], { what: 'the question' });
    // It has no own servers.
    expect(descendantsOf(pid)).toEqual([]);
    const allowed = await cli.run(['approvals', 'allow', String(id)], { env: here.env });
    expect(allowed).toMatchObject({ code: 0, stdout: 'Allowed: mcp_files_write\n' });
    expect(await ended).toMatchObject({ code: 0, stdout: 'Written.\n' });
    expect(await readFile(file, 'utf8')).toBe('hello\n');
  });

  test('a call that needs approval is denied at once without a terminal, in a gateway too', async () => {
    model.push({ calls: [call('add', { a: 1, b: 1 })] }, { text: 'Then not.' });
    const { code, stdout, stderr } = await chat('--once', 'Add');
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'Then not.\n' });
    expect(stderr).toContain('No terminal is available to approve files add: use --auto');
  });

  test('a denial given elsewhere ends chat with exit code 5 [R14]', async () => {
    model.push({ calls: [call('add', { a: 1, b: 1 })] }, { text: 'As you wish.' });
    const { ended, stderr } = cli.open(['chat', '--wait', '--once', 'Add'], { env: here.env });
    const id = await waitFor(() => /allow (\w{8})/.exec(stderr())?.[1], { what: 'the question' });
    await cli.run(['approvals', 'deny', String(id), '--reason', 'not today'], { env: here.env });
    expect(await ended).toMatchObject({ code: 5, stdout: 'As you wish.\n' });
    expect(stderr()).toContain('was denied: not today');
  });

  test('settings of one chat do not change the assistant [R16]', async () => {
    model.push({ calls: [call('add', { a: 20, b: 22 })] }, { text: '42.' });
    const { code, stdout } = await chat('--auto', '--json', '--once', 'Add');
    expect(code).toBe(0);
    const { conversation, text } = JSON.parse(stdout);
    expect(text).toBe('42.');
    const { stdout: assistants } = await cli.run(['assistants', '--json'], { env: here.env });
    const [helper, ...others] = JSON.parse(assistants);
    expect(others).toEqual([]);
    expect(helper).toMatchObject({ name: 'Helper', toolApproval: 'always-ask' });
    const kept = await gateway.api('GET', `/api/conversations/${conversation.id}`);
    expect(kept).toMatchObject({ body: { conversation: { assistantId: helper.id } } });
  });

  test('Ctrl-C also stops the answer in the gateway', async () => {
    const gate = createGate();
    model.push({ text: 'This takes', hold: gate });
    const { kill, ended, stdout } = cli.open(['chat', '--once', 'Slowly'], { env: here.env });
    await waitFor(() => stdout().includes('This takes'), { what: 'the beginning of the answer' });
    kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130, stdout: 'This takes\n' });
    const { body } = (await gateway.api('GET', '/api/conversations?limit=1')) as {
      body: { conversations: { status: string; title: string }[] };
    };
    expect(body.conversations[0]).toMatchObject({ title: 'Slowly', status: 'idle' });
  });

  test('the chat uses the running gateway, also if --config names its file', async () => {
    model.push({ text: 'Hi.' });
    const { source } = await chat('-c', config, '--once', 'hello');
    expect(source).toMatch(/^Using the gateway at /);
  });

  test('a gateway that dies during an answer ends the chat', async () => {
    const data = directory.file('dying');
    const env = { TOOLWHARF_DATA_DIR: data };
    await cli.run(['models', 'add', 'Scripted', '--url', model.url, '--no-key'], { env });
    await cli.run(['assistants', 'add', 'Helper', '--model', 'Scripted/scripted'], { env });
    await using dying = await startGateway(cli, data, ['-c', config]);
    const gate = createGate();
    model.push({ text: 'Half an', hold: gate });
    const { ended } = cli.open(['chat', '--once', 'hello'], { env });
    await gate.reached;
    await dying.stop('SIGKILL');
    const { code, stderr } = await ended;
    expect(code).toBe(4);
    expect(stderr).toContain('does not respond');
  });
});
