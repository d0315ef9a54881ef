import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesystemServer, fixture, tempDir } from '../support/fixtures.ts';
import { openTestChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

async function open(options: TestChatOptions = {}) {
  const directory = await tempDir();
  const testChat = await openTestChat({
    config: { servers: { filesystem: filesystemServer(directory.path) } },
    ...options,
  });
  return {
    ...testChat,
    directory,
    async [Symbol.asyncDispose]() {
      await testChat[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('the demo model', () => {
  test('the demo model introduces itself as scripted and lists its abilities, without a key or a network', async () => {
    await using testChat = await open();
    const answer = await testChat.sendAndWait('Hello!');
    expect(answer).toMatchObject({ status: 'complete', model: 'Demo (scripted)' });
    expect(textOf(answer)).toMatch(/scripted/);
    expect(textOf(answer)).toMatch(/estimates/);
    expect(textOf(answer)).toMatch(/I have 14 tools: `mcp_filesystem_/);
    expect(answer.usage?.outputTokens).toBeGreaterThan(0);
    expect(textOf(await testChat.sendAndWait('Sing me something by Bach'))).toMatch(/None of my tools matches that/);
  });

  test('the demo model lists folders, writes a note, lists files and reads the note through the filesystem server', async () => {
    await using testChat = await open();
    await writeFile(join(testChat.directory.path, 'old.txt'), 'from before');
    expect(textOf(await testChat.sendAndWait('Which folders may you use?'))).toContain(testChat.directory.path);
    await testChat.sendAndWait('Write a note "Buy milk and bread"');
    expect(await testChat.calls()).toMatchObject([{ originalName: 'write_file', status: 'success' }]);
    expect(await readFile(join(testChat.directory.path, 'note.md'), 'utf8')).toBe('Buy milk and bread');
    const files = await testChat.sendAndWait('List the files');
    expect(textOf(files)).toMatch(/\[FILE\] note\.md.*\[FILE\] old\.txt/s);
    expect(textOf(await testChat.sendAndWait('Read the note'))).toContain('Buy milk and bread');
    expect(textOf(await testChat.sendAndWait('Show me old.txt'))).toContain('from before');
  });

  test('the demo model looks up the required values first, and calls tools concurrently or in sequence', async () => {
    await using testChat = await open();
    await writeFile(join(testChat.directory.path, 'a.txt'), 'text of a');
    await writeFile(join(testChat.directory.path, 'b.txt'), 'text of b');
    const both = await testChat.sendAndWait('Read a.txt and read b.txt');
    expect((await testChat.calls()).map(({ originalName }) => originalName)).toEqual([
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
    const chain = await testChat.sendAndWait('Write a note "first things first" to c.txt, then read c.txt');
    expect((await testChat.calls()).map(({ status }) => status)).toEqual(['success', 'success']);
    expect(textOf(chain)).toMatch(/first things first/);
  });

  test('the demo model continues after a denied call', async () => {
    await using testChat = await open({ assistant: { toolApproval: 'always-ask' } });
    await testChat.chat.send(testChat.id, 'Which folders may you use?');
    await testChat.answer({ kind: 'deny', reason: 'not today' });
    const answer = await testChat.waitForAnswer();
    expect(answer.status).toBe('complete');
    expect(textOf(answer)).toMatch(/not allowed to use `mcp_filesystem_list_allowed_directories`\. .*: not today/);
    await testChat.chat.send(testChat.id, 'List the files');
    await testChat.answer({ kind: 'allow' });
    await waitFor(async () => (await testChat.calls()).length === 2, { what: 'the second call' });
    await testChat.answer({ kind: 'allow' });
    expect((await testChat.waitForAnswer()).status).toBe('complete');
  });

  test('the demo model uses any tools and reports their errors', async () => {
    await using testChat = await open({ config: { servers: { fixture: fixture('legacy') } } });
    expect(textOf(await testChat.sendAndWait('Please add 20 and 22'))).toContain('42');
    expect(textOf(await testChat.sendAndWait('echo "good morning"'))).toContain('good morning');
    const failed = await testChat.sendAndWait('Use mcp_fixture_fail');
    expect(failed.status).toBe('complete');
    expect(textOf(failed)).toMatch(/`mcp_fixture_fail` did not work/);
    expect(textOf(await testChat.sendAndWait('structured weather for the city "Oslo"'))).toContain('Oslo');
  });

  test('the demo model reports that there are no tools', async () => {
    await using testChat = await openTestChat();
    expect(textOf(await testChat.sendAndWait('List the files'))).toMatch(/I have no tools/);
  });
});
