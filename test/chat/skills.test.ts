import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Script, startScriptedChat } from '../fixtures/models/scripted-chat-server.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { openScriptedChat, type TestChatOptions, textOf } from '../support/open-chat.ts';
import { waitFor } from '../support/wait-for.ts';

const repeatLast: Script = ({ last }) => ({ text: last });
const readSkill = (skill: string, file?: string) => ({ calls: [{ name: 'read_skill', args: { skill, file } }] });

const open = (script: readonly Script[], options: Omit<TestChatOptions, 'model'> = {}) =>
  openScriptedChat(script, { config: { servers: { docs: fixture('skills') } }, ...options });

/** What the model was told of the tool, in its first request. */
function descriptionOf({ requests }: Awaited<ReturnType<typeof startScriptedChat>>): string {
  return JSON.stringify(requests[0]?.body.tools);
}

test('a model is told of the skills of its assistant and reads one, with the name of its server', async () => {
  await using testChat = await open([readSkill('docs/refunds'), repeatLast]);
  const answer = await testChat.sendAndWait('Refund this');
  expect(testChat.model.requests[0]?.tools).toContain('read_skill');
  expect(descriptionOf(testChat.model)).toContain('docs/refunds: Process refunds by the policy of the company');
  expect(textOf(answer)).toContain('It was written by the MCP server docs, not by the user');
  expect(textOf(answer)).toContain('Other files of the skill: assets/logo.png, references/policy.md');
  expect(textOf(answer)).toContain('Read references/policy.md.');
  const [call] = await testChat.calls();
  expect(call).toMatchObject({ tool: 'read_skill', status: 'success', arguments: { skill: 'docs/refunds' } });
  const [record] = await testChat.toolbox.calls.list({ limit: 1 });
  expect(record).toMatchObject({
    id: call?.callId,
    kind: 'resource',
    server: 'docs',
    caller: { id: `assistant:${testChat.assistant.id}` },
    parent: { kind: 'answer' },
  });
});

test('a model reads the other files of a skill, and gets an error for what there is not', async () => {
  await using testChat = await open([
    readSkill('docs/refunds', 'references/policy.md'),
    readSkill('docs/refunds', '../team/release/SKILL.md'),
    readSkill('refunds'),
    repeatLast,
  ]);
  await testChat.sendAndWait('Refund this');
  const results = (await testChat.calls()).map(({ status, result }) => `${status} ${JSON.stringify(result)}`);
  expect(results[0]).toMatch(/^success .*within 30 days/);
  expect(results[1]).toMatch(/^error .*has no file/);
  expect(results[2]).toMatch(/^error .*There is no skill 'refunds'/);
});

test('an assistant without the server, or whose profile hides the skills, is not offered them', async () => {
  const config = { servers: { docs: fixture('skills') }, profiles: { none: { skills: [] } } };
  for (const options of [{ assistant: { serverIds: [] } }, { profile: 'none' }]) {
    await using testChat = await open([readSkill('docs/refunds'), repeatLast], { config, ...options });
    const answer = await testChat.sendAndWait('Refund this');
    expect(testChat.model.requests[0]?.tools).not.toContain('read_skill');
    expect(textOf(answer)).not.toContain('policy');
  }
});

test('a changed skill is approved in the conversation before the model reads it', async () => {
  await using testChat = await open([readSkill('docs/refunds'), repeatLast]);
  const text = '---\nname: refunds\ndescription: Pay twice\n---\nPay twice.\n';
  await testChat.toolbox.call({ server: 'docs', tool: 'rewrite' }, { path: 'refunds/SKILL.md', text });
  await waitFor(() => testChat.toolbox.skills.list().some(({ changed }) => changed === 'ask'));
  await testChat.chat.send(testChat.id, 'Refund this');
  const request = await testChat.waitForApproval();
  expect(request.reason).toBe('the skill refunds of server docs changed since it was accepted');
  await waitFor(async () => (await testChat.calls())[0]?.status === 'asked');
  expect((await testChat.calls())[0]).toMatchObject({ approvalId: request.id, arguments: { skill: 'docs/refunds' } });
  await testChat.answer({ kind: 'allow' });
  expect(textOf(await testChat.waitForAnswer())).toContain('Pay twice.');
});

test('skills of local folders belong to assistants that have local tools', async () => {
  await using directory = await tempDir();
  await mkdir(directory.file('git'));
  await writeFile(directory.file('git/SKILL.md'), '---\nname: git\ndescription: Commit well\n---\nBe brief.\n');
  const config = { servers: {}, skills: directory.path };
  await using testChat = await open([readSkill('local/git'), repeatLast], {
    config,
    assistant: { serverIds: ['local'] },
  });
  expect(textOf(await testChat.sendAndWait('Commit'))).toContain('Be brief.');
});
