import { readFile } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandContext } from '../../packages/cli/core/command-context.ts';
import { approvals } from '../../packages/cli/core/commands/approvals.ts';
import type { Terminal } from '../../packages/cli/core/terminal/terminal.ts';
import { cliProgram } from '../support/cli-program.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { startGatewayHere, type TestGateway } from '../support/gateway.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { cliIn } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const directory = await tempDir();
afterAll(() => directory[Symbol.asyncDispose]());
const cli = cliIn(directory);
const data = directory.file('data');
let gateway: TestGateway;
beforeAll(async () => {
  const config = await cli.config({
    servers: { files: fixture('legacy') },
    toolbox: { approval: { mode: 'always-ask' } },
    profiles: { scripts: { expose: 'code' } },
  });
  gateway = await startGatewayHere(cli, data, ['-c', config]);
  await waitFor(() => gateway.stderr().includes('✔ files'), { what: 'the server' });
});
afterAll(() => gateway[Symbol.asyncDispose]());

interface Question {
  readonly id: string;
  readonly tool: string;
  readonly arguments: { readonly text?: string };
}

/** A call that waits for its answer, and the question about it. */
async function ask(text: string, tool = 'echo', more: object = {}) {
  const result = gateway.api('POST', `/api/tools/mcp_files_${tool}/call`, { arguments: { text, ...more } });
  const question = await waitFor(
    async () => {
      const { stdout } = await cli.run(['approvals', '--json']);
      return (JSON.parse(stdout) as Question[]).find((one) => one.arguments.text === text);
    },
    { what: `the question about '${text}'` },
  );
  return { result, question: question as Question };
}

describe('toolwharf approvals', () => {
  test('toolwharf approvals lists pending approvals and allows one', async () => {
    const { result, question } = await ask('allowed');
    const { stdout, stderr } = await cli.run(['approvals'], { env: { COLUMNS: '200' } });
    expect(stdout).toMatch(/^ID +TOOL +CALLER +EXPIRES +ARGUMENTS\n/);
    expect(stdout).toMatch(
      new RegExp(
        `^${question.id.slice(0, 8)}  mcp_files_echo  Administrator  in \\d+ (?:min|s) +{"text":"allowed"}$`,
        'm',
      ),
    );
    expect(stderr).toContain('1 call awaiting approval');
    // The beginning of an id is enough.
    const answered = await cli.run(['approvals', 'allow', question.id.slice(0, 8)]);
    expect(answered).toMatchObject({ code: 0, stdout: 'Allowed: mcp_files_echo\n' });
    expect(await result).toMatchObject({ status: 200, body: { text: 'allowed' } });
    expect(await cli.run(['approvals'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No calls are awaiting approval.\n',
    });
    expect(await cli.run(['approvals', 'allow', question.id])).toMatchObject({ code: 2 });
  });

  test('toolwharf approvals deny sends the caller the reason', async () => {
    const { result, question } = await ask('refused');
    expect(await cli.run(['approvals', 'deny', question.id, '--reason', 'not today'])).toMatchObject({ code: 0 });
    expect(await result).toMatchObject({
      status: 403,
      body: { error: { code: 'CALL_DENIED', message: expect.stringContaining('not today') } },
    });
  });

  test('an approval with edited arguments runs the call with them', async () => {
    const { result, question } = await ask('before');
    const wrong = await cli.run(['approvals', 'allow', question.id, '--args', '[]']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a JSON object') });
    await cli.run(['approvals', 'allow', question.id, '--args', '{"text":"after"}']);
    expect(await result).toMatchObject({ status: 200, body: { text: 'after' } });
  });

  test('an answer for always becomes a rule that can be listed and revoked', async () => {
    const { result, question } = await ask('always');
    await cli.run(['approvals', 'allow', question.id, '--scope', 'tool', '--audience', 'everyone']);
    expect(await result).toMatchObject({ status: 200 });
    const again = await gateway.api('POST', '/api/tools/mcp_files_echo/call', { arguments: { text: 'unasked' } });
    expect(again).toMatchObject({ status: 200, body: { text: 'unasked' } });

    const [rule] = JSON.parse((await cli.run(['rules', '--json'])).stdout) as { id: string }[];
    expect(rule).toMatchObject({ scope: 'tool', audience: 'everyone', answer: 'allow', server: 'files', tool: 'echo' });
    const { stdout } = await cli.run(['rules', 'list']);
    expect(stdout).toMatch(new RegExp(`^${rule?.id.slice(0, 8)}  allow   files/echo for everyone  `, 'm'));
    expect(await cli.run(['rules', 'revoke', rule?.id ?? ''])).toMatchObject({
      code: 0,
      stdout: 'Revoked: allow files/echo for everyone\n',
    });
    expect(await cli.run(['rules'])).toMatchObject({
      stdout: '',
      stderr: 'No approvals are remembered. `toolwharf approvals allow ID --scope tool` remembers one.\n',
    });
    expect(await cli.run(['rules', 'revoke', 'none'])).toMatchObject({ code: 2 });
  });

  test('toolwharf rules says to which arguments a rule is restricted', async () => {
    const { result, question } = await ask('one');
    const answer = { answer: 'allow', scope: 'tool', audience: 'everyone', matching: { text: 'o*' } };
    await gateway.api('POST', `/api/approvals/${question.id}/answer`, answer);
    expect(await result).toMatchObject({ status: 200 });
    const { stdout } = await cli.run(['rules']);
    expect(stdout).toContain('files/echo if text matches o* for everyone');
    const [rule] = JSON.parse((await cli.run(['rules', '--json'])).stdout) as { id: string }[];
    await cli.run(['rules', 'revoke', rule?.id ?? '']);
  });

  /** A script with two calls that await approval. */
  async function runScript(text: string) {
    const client = await connectMcp(`${gateway.url}/mcp/scripts`, 'modern');
    const code = `(await Promise.allSettled([1, 2].map((n) => tools.files.echo({ text: '${text} ' + n })))).map(({ value, reason }) => value ?? reason.code)`;
    const ended = client.client.callTool({ name: 'run_code', arguments: { code } });
    return {
      result: async () => {
        const { structuredContent } = await ended;
        await client[Symbol.asyncDispose]();
        return (structuredContent as { result: unknown }).result;
      },
    };
  }

  test('--script answers all pending calls of a script', async () => {
    const script = await runScript('scripted');
    const id = String((await waitForTwo())?.[0]?.id);
    expect(await cli.run(['approvals', 'allow', id, '--script', '--args', '{}'])).toMatchObject({ code: 2 });
    const answered = await cli.run(['approvals', 'allow', id, '--script']);
    expect(answered).toMatchObject({ code: 0, stdout: 'Allowed: 2 calls\n' });
    expect(await script.result()).toEqual(['scripted 1', 'scripted 2']);
  });

  /** A person who watches the approvals at a terminal. */
  function watchAsPerson() {
    const person = createPerson();
    const stop = new AbortController();
    const context: CommandContext = {
      program: cliProgram,
      command: 'toolwharf',
      stdin: Readable.from([]),
      stdout: new PassThrough(),
      cwd: directory.path,
      hasOwnProcess: false,
      terminal: person.terminal,
      options: { logLevel: 'warning' },
      env: { TOOLWHARF_DATA_DIR: data },
      signal: stop.signal,
      onInterrupt: () => {},
      closeAtEnd: () => {},
      skipOnInterrupt: () => ({ [Symbol.dispose]() {} }),
    };
    const watching = approvals({ watch: true }, context).catch(() => {});
    const end = async () => {
      stop.abort();
      await watching;
    };
    return { ...person, end };
  }

  const waitForTwo = () =>
    waitFor(async () => {
      const pending = JSON.parse((await cli.run(['approvals', '--json'])).stdout) as Question[];
      return pending.length === 2 ? pending : undefined;
    });

  test('--watch shows the calls of a script as one list and asks once', async () => {
    const script = await runScript('together');
    await waitForTwo();
    const person = watchAsPerson();
    person.answers.push('what', 'd');
    expect(await script.result()).toEqual(['CALL_DENIED', 'CALL_DENIED']);
    await person.end();
    const notes = person.notes.join('\n');
    expect(notes).toContain('A script makes 2 calls that need approval');
    expect(notes).toContain('Promise.allSettled');
    expect(notes).toMatch(/1\. .*"together 1"[\s\S]*2\. .*"together 2"/);
    expect(person.questions).toEqual(['Run them? [a/o/d] ', 'Run them? [a/o/d] ']);
  });

  test('--watch lets the person answer the calls of a script one by one', async () => {
    const script = await runScript('single');
    await waitForTwo();
    const person = watchAsPerson();
    person.answers.push('o', 'a', 'd', 'not this one');
    expect((await script.result()) as string[]).toContain('CALL_DENIED');
    await person.end();
    expect(person.questions.filter((question) => question.startsWith('Run it?'))).toHaveLength(2);
  });

  test('--watch shows the list of a script again when one of its calls is answered elsewhere', async () => {
    const script = await runScript('elsewhere');
    const pending = await waitForTwo();
    const person = watchAsPerson();
    await waitFor(() => person.isAsked(), { what: 'the question about both calls' });
    await cli.run(['approvals', 'deny', String(pending?.[0]?.id)]);
    await waitFor(() => person.questions.at(-1)?.startsWith('Run it?') && person.isAsked(), {
      what: 'the question about the other call',
    });
    expect(person.notes).toContain('Some of these calls were answered elsewhere, or their approval expired.');
    person.answers.push('a');
    expect(((await script.result()) as string[]).filter((value) => value === 'CALL_DENIED')).toHaveLength(1);
    await person.end();
  });

  test('--watch prints each approval as it arrives, until it is stopped', async () => {
    const { kill, ended, stdout } = cli.open(['approvals', '--watch', '--json']);
    const seen = () =>
      stdout()
        .split('\n')
        .slice(0, -1)
        .map((line): Question => JSON.parse(line));
    const { result, question } = await ask('watched');
    await waitFor(() => seen().some(({ id }) => id === question.id), { what: 'the question' });
    await cli.run(['approvals', 'deny', question.id]);
    await result;
    kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(seen().filter(({ id }) => id === question.id)).toHaveLength(1);
  });

  test('--watch asks the person at the terminal and withdraws approvals that others answered', async () => {
    const file = directory.file('written');
    const person = watchAsPerson();

    person.answers.push('what', 'y');
    const first = await gateway.api('POST', '/api/tools/mcp_files_write/call', {
      arguments: { path: file, text: 'one' },
    });
    expect(first).toMatchObject({ status: 200 });
    person.answers.push('n', 'no reason at all');
    const second = await gateway.api('POST', '/api/tools/mcp_files_write/call', {
      arguments: { path: file, text: 'two' },
    });
    expect(second).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('no reason at all') } },
    });
    expect(await readFile(file, 'utf8')).toBe('one\n');

    // This approval is not answered at the terminal, but elsewhere.
    const { result, question } = await ask('elsewhere', 'write', { path: file });
    await waitFor(() => person.questions.at(-1)?.startsWith('Run it?') && person.isAsked(), { what: 'the question' });
    await cli.run(['approvals', 'deny', question.id]);
    await result;
    await waitFor(() => person.notes.includes('This call was answered elsewhere, or its approval expired.'), {
      what: 'the withdrawal',
    });
    await person.end();
    expect(person.notes.some((note) => note.includes('Approval required') && note.includes('write'))).toBe(true);
  });
});

/** A terminal with a person at it who gives prepared answers, and otherwise thinks. */
function createPerson() {
  const answers: string[] = [];
  const questions: string[] = [];
  const notes: string[] = [];
  let asked = 0;
  const plain = new Proxy({}, { get: () => String }) as Terminal['colors'];
  const terminal: Terminal = {
    isPerson: true,
    width: 80,
    colors: plain,
    noteColors: plain,
    canAsk: true,
    showsStatus: true,
    name: (text) => text,
    print: (text) => notes.push(text),
    stream: (text) => notes.push(text),
    note: (text) => notes.push(text),
    say: (text) => notes.push(text),
    status: () => {},
    async ask(question, signal) {
      questions.push(question);
      asked++;
      try {
        while (!signal?.aborted) {
          const answer = answers.shift();
          if (answer !== undefined) return answer;
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return undefined;
      } finally {
        asked--;
      }
    },
    lend: (work) => work(),
    mute: () => ({ [Symbol.dispose]: () => {} }),
    flush: async () => {},
  };
  return { terminal, answers, questions, notes, isAsked: () => asked > 0 };
}
