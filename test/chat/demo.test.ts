import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesystemServer, fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

async function open(options: TestChatOptions = {}) {
  const directory = await tempDir();
  const talk = await openTestChat({
    config: { servers: { filesystem: filesystemServer(directory.path) } },
    ...options,
  });
  return {
    ...talk,
    directory,
    async [Symbol.asyncDispose]() {
      await talk[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('the demo model, without a key or a network', () => {
  test('the demo model says that it is scripted and what it can do', async () => {
    await using talk = await open();
    const answer = await talk.say('Hello!');
    expect(answer).toMatchObject({ status: 'complete', model: 'Demo (scripted)' });
    expect(textOf(answer)).toMatch(/scripted/);
    expect(textOf(answer)).toMatch(/estimates/);
    expect(textOf(answer)).toMatch(/I have 14 tools: `mcp_filesystem_/);
    expect(answer.usage?.outputTokens).toBeGreaterThan(0);
    expect(textOf(await talk.say('Sing me something by Bach'))).toMatch(/None of my tools matches that/);
  });

  test('the demo model lists folders, writes a note, lists files and reads the note through the filesystem server', async () => {
    await using talk = await open();
    await writeFile(join(talk.directory.path, 'old.txt'), 'from before');
    expect(textOf(await talk.say('Which folders may you use?'))).toContain(talk.directory.path);
    await talk.say('Write a note "Buy milk and bread"');
    expect(await talk.calls()).toMatchObject([{ originalName: 'write_file', status: 'success' }]);
    expect(await readFile(join(talk.directory.path, 'note.md'), 'utf8')).toBe('Buy milk and bread');
    const files = await talk.say('List the files');
    expect(textOf(files)).toMatch(/\[FILE\] note\.md.*\[FILE\] old\.txt/s);
    expect(textOf(await talk.say('Read the note'))).toContain('Buy milk and bread');
    expect(textOf(await talk.say('Show me old.txt'))).toContain('from before');
  });

  test('the demo model looks up what it needs first, and calls tools side by side or in sequence', async () => {
    await using talk = await open();
    await writeFile(join(talk.directory.path, 'a.txt'), 'text of a');
    await writeFile(join(talk.directory.path, 'b.txt'), 'text of b');
    const both = await talk.say('Read a.txt and read b.txt');
    expect((await talk.calls()).map(({ originalName }) => originalName)).toEqual([
      'list_allowed_directories',
      'read_text_file',
      'read_text_file',
    ]);
    expect(both.parts.map(({ type }) => type)).toEqual([
      'text',
      'tool-call',
      'step',
      'text',
      'tool-call',
      'tool-call',
      'step',
      'text',
    ]);
    expect(textOf(both)).toMatch(/at the same time.*text of a.*text of b/s);
    const chain = await talk.say('Write a note "first things first" to c.txt, then read c.txt');
    expect((await talk.calls()).map(({ status }) => status)).toEqual(['success', 'success']);
    expect(textOf(chain)).toMatch(/first things first/);
  });

  test('the demo model continues after a denied call', async () => {
    await using talk = await open({ assistant: { toolApproval: 'always-ask' } });
    await talk.chat.send(talk.id, 'Which folders may you use?');
    await talk.answer({ kind: 'deny', reason: 'not today' });
    const answer = await talk.ended();
    expect(answer.status).toBe('complete');
    expect(textOf(answer)).toMatch(/not allowed to use `mcp_filesystem_list_allowed_directories`: not today/);
    await talk.chat.send(talk.id, 'List the files');
    await talk.answer({ kind: 'allow' });
    await waitFor(async () => (await talk.calls()).length === 2, { what: 'the second call' });
    await talk.answer({ kind: 'allow' });
    expect((await talk.ended()).status).toBe('complete');
  });

  test('the demo model uses any tools and reports their errors', async () => {
    await using talk = await open({ config: { servers: { fixture: fixture('legacy') } } });
    expect(textOf(await talk.say('Please add 20 and 22'))).toContain('42');
    expect(textOf(await talk.say('echo "good morning"'))).toContain('good morning');
    const failed = await talk.say('Use mcp_fixture_fail');
    expect(failed.status).toBe('complete');
    expect(textOf(failed)).toMatch(/`mcp_fixture_fail` did not work/);
    expect(textOf(await talk.say('structured weather for the city "Oslo"'))).toContain('Oslo');
  });

  test('the demo model says so when there are no tools', async () => {
    await using talk = await openTestChat();
    expect(textOf(await talk.say('List the files'))).toMatch(/I have no tools/);
  });
});
