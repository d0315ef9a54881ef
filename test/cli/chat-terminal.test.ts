import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGate, type ScriptedChat, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { atTerminal, ctrlC, ctrlD } from '../support/at-terminal.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGateway, startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const prompt = /› /;
const over = /scripted · 10 tokens in, 5 out · .*\n/;
const call = (name: string, args: object = {}) => ({ name: `mcp_files_${name}`, args });

let model: ScriptedChat;
let config: string;
beforeAll(async () => {
  model = await startScriptedChat([]);
  config = await cli.config({ servers: { files: fixture('legacy') } });
});
afterAll(() => model[Symbol.asyncDispose]());

/** A person in front of a data directory in which the scripted model answers. */
async function person(name: string) {
  const env = { TOOLWHARF_DATA_DIR: directory.file(name), HOME: directory.path, EDITOR: '', VISUAL: '' };
  const setup = atTerminal(env);
  await setup.run('models', 'add', 'Scripted', '--url', model.url, '--no-key', '-c', config);
  await setup.run('assistants', 'add', 'Helper', '--model', 'Scripted/scripted', '--servers', 'files', '-c', config);
  return { env, data: env.TOOLWHARF_DATA_DIR };
}

describe.each(['in this process', 'in the gateway'])('a conversation at a terminal, %s', (where) => {
  const isRemote = where === 'in the gateway';
  let here: Awaited<ReturnType<typeof person>>;
  let gateway: TestGateway | undefined;
  let at: ReturnType<typeof atTerminal>;
  let ended: Promise<number>;

  beforeAll(async () => {
    here = await person(where.replaceAll(' ', '-'));
    if (isRemote) gateway = await startGatewayHere(cli, here.data, ['-c', config]);
  });
  afterAll(() => gateway?.[Symbol.asyncDispose]());

  /** Starts the chat and waits for the prompt. */
  async function startChat(...args: string[]): Promise<void> {
    at = atTerminal(here.env);
    ended = at.run('chat', ...(isRemote ? [] : ['-c', config]), ...args);
    await at.see(/Helper.* {2}Scripted\/scripted · \d+ tools · [a-z-]+\n/);
    await at.see(prompt);
  }

  async function leave(): Promise<void> {
    at.type(ctrlD);
    expect(await ended).toBe(0);
  }

  afterEach(async () => {
    at.type(ctrlD);
    await ended;
  });

  test('the terminal prints the answer as it streams, and its end below it', async () => {
    await startChat();
    const gate = createGate();
    model.push({ text: '# Hi\n\nI am **here** and\u001b[2J', hold: gate });
    at.type('hello\r');
    await at.see(/# Hi\n\nI am here/);
    expect(at.screen()).not.toContain('⟨U+001B⟩');
    gate.open();
    await at.see(/ and⟨U\+001B⟩\[2J\n/);
    await at.see(over);
    await at.see(prompt);
    await leave();
  });

  test('the terminal asks about a call, shows its result, and the model continues [R14]', async () => {
    const file = directory.file(`${where}-yes`);
    await startChat();
    model.push({ text: 'I write.', calls: [call('write', { path: file, text: 'one' })] }, { text: 'Written.' });
    at.type('write it\r');
    await at.see(/Approval required\n +tool +mcp_files_write {2}\(write\)\n +server +files\n +caller +Helper\n/);
    await at.see(/reason +the approval mode is always-ask/);
    await at.see(/"text": "one"/);
    await at.answer(/Run it\? \[a\/c\/t\/s\/e\/D\] /, 'a');
    await at.see(/● files write {2}\{"path":.*\n {2}✓ [\d.]+ m?s .*\n/);
    await at.see(/Written\.\n/);
    expect(await readFile(file, 'utf8')).toBe('one\n');
  });

  test('the model receives a denial with its reason, and edited arguments replace the original ones [R14]', async () => {
    await startChat();
    model.push(
      { calls: [call('echo', { text: 'first' })] },
      { calls: [call('echo', { text: 'second' })] },
      { text: 'Ok.' },
    );
    at.type('go\r');
    await at.answer(/Run it\? .*\] /, 'n');
    await at.answer(/Reason \(optional, .*\): /, 'not that');
    await at.see(/✗ .*was denied: not that/);
    await at.answer(/Run it\? .*\] /, 'e');
    await at.see(/Arguments: \{"text":"second"\}/);
    at.type('\u0015{"text":"third"}\r');
    await at.see(/✓ [\d.]+ m?s third/);
    await at.see(/Ok\.\n/);
    const told = model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(told).toMatchObject([{ content: expect.stringContaining('not that') }, { content: 'third' }]);
  });

  test('parallel calls are asked about one at a time, and an answer can apply to the conversation [R16]', async () => {
    await startChat();
    model.push(
      { calls: [call('echo', { text: 'a' }), call('add', { a: 1, b: 1 })] },
      { calls: [call('echo', { text: 'b' })] },
      { text: 'Done.' },
    );
    at.type('both\r');
    const [first] = await at.see(/tool +mcp_files_(\w+) /);
    await at.see(/Run it\? .*\] /);
    // The second waits for its turn, and nothing is written over the first.
    expect(at.screen().match(/Approval required/g)).toHaveLength(1);
    at.type('c\r');
    const [second] = await at.see(/tool +mcp_files_(\w+) /);
    expect([first, second].sort()).toEqual(['add', 'echo']);
    await at.answer(/Run it\? .*\] /, 'c');
    await at.see(/✓ [\d.]+ m?s b\n/);
    await at.see(/Done\.\n/);
    expect(at.screen().match(/Approval required/g)).toHaveLength(2);
  });

  test('Ctrl-C ends the answer or its question, and not the conversation', async () => {
    await startChat();
    const gate = createGate();
    model.push({ text: 'This takes long', hold: gate });
    at.type('slowly\r');
    await at.see(/This takes/);
    at.type(ctrlC);
    await at.see(/The answer was stopped\.\n/);
    await at.see(prompt);
    model.push({ calls: [call('add', { a: 1, b: 1 })] });
    at.type('ask me\r');
    await at.see(/Run it\? .*\] /);
    at.type(ctrlC);
    await at.see(/✗ .*the user stopped the answer\n/);
    await at.see(/The answer was stopped\.\n/);
    await at.see(prompt);
    model.push({ text: 'Still here.' });
    at.type('there?\r');
    await at.see(/Still here\.\n/);
    await at.see(prompt);
    at.type(ctrlC);
    await at.see(/Press Ctrl-C again or Ctrl-D to exit\.\n/);
    await at.see(prompt);
    at.type(ctrlC);
    expect(await ended).toBe(0);
  });

  test("the terminal puts a server's question to the person", async () => {
    await startChat('--auto');
    model.push({ calls: [call('ask', { question: 'Who are you?' })] }, { text: 'Hello Ada.' });
    at.type('ask\r');
    await at.see(/Server 'files' asks\n +Who are you\?/);
    await at.answer(/(?:answer|name).*: /i, 'Ada');
    await at.answer(/Send this to 'files'\? \[y\/n\] /, 'y');
    await at.see(/✓ [\d.]+ m?s .*Ada/);
    await at.see(/Hello Ada\.\n/);

    model.push({ calls: [call('sample', { prompt: 'Say a word' })] }, { text: 'Word' }, { text: 'It said a word.' });
    at.type('sample\r');
    await at.see(/Server 'files' requests an answer from the model\n +user +Say a word/);
    await at.answer(/Send this to the model .*\[y\/N\] /, 'y');
    await at.see(/✓ [\d.]+ m?s .*Word/);
    await at.see(/It said a word\.\n/);

    model.push({ calls: [call('sample', { prompt: 'Once more' })] }, { text: 'No model then.' });
    at.type('again\r');
    await at.answer(/Send this to the model .*\[y\/N\] /, 'n');
    await at.see(/✗ .*(?:rejected|did not allow)/);
    await at.see(/No model then\.\n/);
  });

  test('the commands of a conversation work at the terminal', async () => {
    await startChat();
    model.push({ text: 'First answer.' }, { text: 'Second answer.' }, { text: 'Third answer.' });
    at.type('first \\\r');
    await at.answer(/… /, 'question');
    await at.see(/First answer\.\n/);
    expect(model.requests.at(-1)?.last).toBe('first \nquestion');
    await at.answer(prompt, '/retry');
    await at.see(/Second answer\.\n/);
    await at.answer(prompt, '/versions');
    await at.see(/Version 2 of 2 of the last answer/);
    await at.answer(prompt, '/versions 3');
    await at.see(/versions 1 to 2/);
    await at.answer(prompt, '/versions 1');
    await at.see(/First answer\.\n/);
    await at.answer(prompt, '/edit another question');
    await at.see(/Third answer\.\n/);
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toMatchObject([
      { content: 'another question' },
    ]);
    await at.answer(prompt, '/search another qestion');
    await at.see(/another question/);
    await at.answer(prompt, '/export');
    await at.see(/## You\s+another question/);
    await at.answer(prompt, '/usage');
    await at.see(/first question: 30 tokens in, 15 out, /);
    await at.answer(prompt, '/tools');
    await at.see(/files {2}echo {2}Returns the text.*\n(?:.*\n)*\d+ tools, about \d+ tokens per request\./);
    await at.answer(prompt, '/model');
    await at.see(/Scripted {2}openai-compatible\n(?:.*\n)*Current: Scripted\/scripted\n/);
    await at.answer(prompt, '/model scripted');
    await at.see(/Scripted\/scripted\n/);
    await at.answer(prompt, '/model Scripted/other');
    await at.see(/Using Scripted\/other for this chat\./);
    model.push({ text: 'From the other.' });
    await at.answer(prompt, 'who is it?');
    await at.see(/From the other\.\n/);
    expect(model.requests.at(-1)?.body.model).toBe('other');
    await at.answer(prompt, '/list');
    const [id = ''] = await at.see(/(\w{8}) {2}first question {2}.*, current\n/);
    await at.answer(prompt, '/new');
    await at.see(/Started a new conversation\./);
    await at.answer(prompt, '/usage');
    await at.see(/No messages yet\./);
    await at.answer(prompt, `/open ${id}`);
    await at.see(/first question, after 2 messages\n› who is it\?\n\nFrom the other\.\n/);
    await at.answer(prompt, '/assistant nobody');
    await at.see(/There is no assistant 'nobody'/);
    await at.answer(prompt, '/help');
    await at.see(/\/resume +continue/);
    await at.answer(prompt, '/quit');
    await at.see(/Unknown command \/quit/);
    await at.answer(prompt, '/exit');
    expect(await ended).toBe(0);
  });

  test('an answer that reached a limit continues on request', async () => {
    await startChat();
    model.push({ text: 'A long', finish: 'length' }, { text: 'story.' });
    at.type('tell\r');
    await at.see(/A long\n.*limit/);
    await at.answer(prompt, '/resume');
    await at.see(/story\.\n/);
  });

  test('a model error is shown, and the conversation stays', async () => {
    await startChat();
    model.push({ status: 400, error: 'no such model' }, { text: 'Better.' });
    at.type('hello\r');
    await at.see(/no such model.*\n/);
    await at.answer(prompt, '/retry');
    await at.see(/Better\.\n/);
    expect(at.screen()).not.toContain('WARNING');
  });

  test('--continue resumes the latest conversation where it stands', async () => {
    await startChat();
    model.push({ text: '**Better.**' }, { text: 'Again.' });
    at.type('hello\r');
    await at.see(/Better\.\n/);
    await at.see(prompt);
    await leave();
    await startChat('--continue', '--trusted-only');
    expect(at.screen()).toMatch(/hello\n› hello\n\nBetter\.\n/);
    at.type('and?\r');
    await at.see(/Again\.\n/);
    expect(model.requests.at(-1)?.messages.some(({ content }) => content === '**Better.**')).toBe(true);
  });
});

test('an approval that is answered elsewhere is withdrawn from the terminal [R14]', async () => {
  const { env, data } = await person('elsewhere');
  await using gateway = await startGatewayHere(cli, data, ['-c', config]);
  const at = atTerminal(env);
  const ended = at.run('chat');
  await at.see(prompt);
  model.push({ calls: [call('add', { a: 40, b: 2 })] }, { text: 'So it is.' });
  at.type('add\r');
  await at.see(/Run it\? .*\] /);
  const { body } = (await gateway.api('GET', '/api/approvals?status=pending')) as {
    body: { approvals: { id: string }[] };
  };
  await gateway.api('POST', `/api/approvals/${body.approvals[0]?.id}/answer`, { answer: 'allow' });
  await at.see(/✓ [\d.]+ m?s 42\n/);
  await at.see(/So it is\.\n/);
  await at.see(prompt);
  at.type(ctrlD);
  expect(await ended).toBe(0);
});

test('a gateway that disappears ends the chat with exit code 4', async () => {
  const { env, data } = await person('gone');
  await using gateway = await startGateway(cli, data, ['-c', config]);
  const at = atTerminal(env);
  const ended = at.run('chat', '--auto');
  await at.see(prompt);
  const gate = createGate();
  model.push({ text: 'Half an answer', hold: gate });
  at.type('hello\r');
  await at.see(/Half an/);
  await gateway.stop('SIGKILL');
  expect(await ended).toBe(4);
  expect(at.screen()).toMatch(/ERROR: The gateway at .* does not respond/);
});

test('rules can be listed and revoked without a gateway', async () => {
  const { env } = await person('remembered');
  const at = atTerminal(env);
  const ended = at.run('chat', '-c', config);
  await at.see(prompt);
  model.push({ calls: [call('echo', { text: 'a' })] }, { calls: [call('echo', { text: 'b' })] }, { text: 'Both.' });
  at.type('echo\r');
  await at.answer(/Run it\? .*\] /, 't');
  await at.answer(/Remember it for everyone\? \[y\/N\] /, '');
  await at.see(/Remembered\. `toolwharf rules`/);
  await at.see(/Both\.\n/);
  await at.see(prompt);
  at.type(ctrlD);
  expect(await ended).toBe(0);
  const rules = atTerminal(env);
  expect(await rules.run('rules', '-c', config)).toBe(0);
  const [id = ''] = await rules.see(/(\w{8}) {2}allow +files\/echo/);
  expect(await rules.run('rules', 'revoke', id, '-c', config)).toBe(0);
  await rules.run('rules', '-c', config);
  await rules.see(/No approvals are remembered\./);
  await rules.run('audit', 'export', '-c', config);
  await rules.see(/"originalName":"revokeRule"/);
});

test('an approval that was pending when the gateway was killed is asked again, and its call runs once [R14]', async () => {
  const { env, data } = await person('killed');
  const file = directory.file('written-once');
  const gateway = await startGateway(cli, data, ['-c', config]);
  model.push({ text: 'I write.', calls: [call('write', { path: file, text: 'once' })] }, { text: 'Written.' });
  const script = cli.open(['chat', '--wait', '--once', 'write it'], { env });
  await waitFor(() => script.stderr().includes('awaits approval'), { what: 'the question' });
  await gateway.stop('SIGKILL');
  expect((await script.ended).code).toBe(4);

  const at = atTerminal(env);
  const ended = at.run('chat', '-c', config, '--continue');
  await at.see(/› write it\n/);
  await at.answer(/Run it\? .*\] /, 'y');
  await at.see(/✓ [\d.]+ m?s/);
  await at.see(/Written\.\n/);
  await at.see(prompt);
  at.type(ctrlD);
  expect(await ended).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('once\n');
});
