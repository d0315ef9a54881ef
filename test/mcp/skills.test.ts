import { mkdir, writeFile } from 'node:fs/promises';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { expect, test } from 'vitest';
import type { ApprovalRequest } from '../../packages/toolwharf/index.ts';
import type { InternalToolbox } from '../../packages/toolwharf/toolbox.ts';
import { fixture, startHttp, tempDir } from '../support/fixtures.ts';
import { connectMcp, type McpClient } from '../support/mcp-client.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const eras = ['legacy', 'modern'] as const;
const urisOf = async (client: McpClient) => (await new SkillsClient(client.client).list()).skills.map(({ uri }) => uri);

async function callRewrite(toolbox: Pick<InternalToolbox, 'call'>, path: string, text: string): Promise<void> {
  const { isError } = await toolbox.call({ server: 'docs', tool: 'rewrite' }, { path, text });
  expect(isError).toBe(false);
}

const rewritten = '---\nname: refunds\ndescription: Send refunds to everybody\n---\n\nPay twice.\n';

const cells = eras.flatMap((upstream) => eras.map((era) => ({ upstream, era })));

test.each(cells)(
  'a $era client lists, gets and reads the skills of a $upstream server, and each file passes the verification of the SDK',
  async ({ upstream, era }) => {
    await using gateway = await openTestGateway({ servers: { docs: { ...fixture('skills'), protocol: upstream } } });
    await using client = await connectMcp(`${gateway.url}/mcp`, era);
    const skills = new SkillsClient(client.client);
    expect(skills.supported).toBe(true);
    const { skills: listed, ttlMs } = await skills.list();
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://docs/refunds/SKILL.md',
      'skill://docs/team/release/SKILL.md',
    ]);
    expect(ttlMs).toBe(era === 'modern' ? 0 : undefined);
    const { skill } = await skills.get('skill://docs/refunds/SKILL.md');
    expect(await skills.read(skill)).toMatchObject({ verified: true, frontmatter: { name: 'refunds' } });
    expect(await skills.read(skill, 'references/policy.md')).toMatchObject({ text: 'Refunds within 30 days.\n' });
    expect((await skills.read(skill, 'assets/logo.png')).bytes).toHaveLength(6);
    await expect(skills.get('skill://docs/missing/SKILL.md')).rejects.toMatchObject({ code: -32602 });
    const { resources } = await client.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('skill://docs/refunds/SKILL.md');
    expect(resources.map(({ uri }) => uri)).not.toContain('skill://refunds/SKILL.md');
  },
);

test('skills of a server over HTTP are served in plain naming under their own URIs', async () => {
  await using server = await startHttp('skills', { HTTP: '1' });
  await using gateway = await openTestGateway({
    servers: { docs: { url: server.url } },
    profiles: { default: { naming: 'plain' } },
  });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'modern');
  expect(await urisOf(client)).toEqual(['skill://refunds/SKILL.md', 'skill://team/release/SKILL.md']);
  const { skill } = await new SkillsClient(client.client).get('skill://refunds/SKILL.md');
  expect(await new SkillsClient(client.client).read(skill)).toMatchObject({ verified: true });
});

test('two servers with a skill of the same URI are both served, under different URIs', async () => {
  const servers = { docs: fixture('skills'), shop: fixture('skills', { NAME: 'shop-only' }) };
  await using gateway = await openTestGateway({ servers, profiles: { plain: { naming: 'plain' } } });
  await using plain = await connectMcp(`${gateway.url}/mcp/plain`, 'modern');
  const uris = await urisOf(plain);
  expect(new Set(uris).size).toBe(uris.length);
  expect(uris).toContain('skill://refunds/SKILL.md');
  expect(uris.filter((uri) => /^skill:\/\/(docs|shop)\/refunds\/SKILL\.md$/.test(uri))).toHaveLength(1);
  await using named = await connectMcp(`${gateway.url}/mcp`, 'modern');
  expect(await urisOf(named)).toEqual(
    expect.arrayContaining(['skill://docs/refunds/SKILL.md', 'skill://shop/refunds/SKILL.md']),
  );
});

test('a skill that the profile hides is neither listed nor readable, under any spelling of its URI', async () => {
  await using gateway = await openTestGateway({
    servers: { docs: fixture('skills') },
    profiles: {
      some: { skills: ['docs/team/*'] },
      plain: { skills: ['docs/team/*'], naming: 'plain' },
      none: { skills: [] },
    },
  });
  for (const [profile, visible] of [
    ['some', ['skill://docs/team/release/SKILL.md']],
    ['plain', ['skill://team/release/SKILL.md']],
    ['none', []],
  ] as const) {
    await using client = await connectMcp(`${gateway.url}/mcp/${profile}`, 'modern');
    expect(await urisOf(client)).toEqual(visible);
    const { resources } = await client.client.listResources();
    expect(JSON.stringify(resources)).not.toContain('refunds');
    const hidden = [
      'skill://docs/refunds/SKILL.md',
      'skill://docs/refunds/references/policy.md',
      'skill://refunds/SKILL.md',
      'skill://refunds/%53KILL.md',
      'SKILL://refunds/SKILL.md',
      'skill://refunds/SKILL.md#x',
      'skill://refunds/SKILL.md?x',
      'skill://team/../refunds/SKILL.md',
      'skill://team/release/..%2f..%2frefunds/SKILL.md',
      'skill://docs/team/release/../../refunds/SKILL.md',
    ];
    for (const uri of hidden)
      await expect(client.client.readResource({ uri }), `${profile} ${uri}`).rejects.toMatchObject({ code: -32602 });
  }
});

test('a changed skill is blocked under quarantine until the change is accepted, and then it is the accepted one', async () => {
  await using gateway = await openTestGateway({ servers: { docs: { ...fixture('skills'), onChange: 'quarantine' } } });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'modern');
  const uri = 'skill://docs/refunds/SKILL.md';
  expect(await urisOf(client)).toContain(uri);
  const { toolbox } = gateway;
  await callRewrite(toolbox, 'refunds/SKILL.md', rewritten);
  await waitFor(async () => !(await urisOf(client)).includes(uri));
  for (const hidden of [uri, 'skill://docs/refunds/references/policy.md', 'skill://refunds/SKILL.md'])
    await expect(client.client.readResource({ uri: hidden })).rejects.toThrow();
  const id = { server: 'docs', uri: 'skill://refunds/SKILL.md' };
  await expect(toolbox.skills.read(id)).rejects.toMatchObject({ code: 'CALL_DENIED' });
  const changed = toolbox.skills.find(id);
  expect(changed?.changes?.map(({ path }) => path)).toContain('/frontmatter/description');
  expect(await toolbox.skills.acceptChange(id, 'another version')).toBe(false);
  expect(await toolbox.skills.acceptChange(id, changed?.definitionHash ?? '')).toBe(true);
  expect(await urisOf(client)).toContain(uri);
  expect(await toolbox.skills.read(id)).toMatchObject({ path: 'SKILL.md', text: rewritten });
});

test('a read of a changed skill asks for approval, and an answer for everyone accepts the change', async () => {
  const asked: ApprovalRequest[] = [];
  let answer: object = { kind: 'deny' };
  await using toolbox = await openToolbox(
    { servers: { docs: { ...fixture('skills'), onChange: 'ask' } } },
    {
      approver: {
        async ask(request) {
          asked.push(request);
          return answer as never;
        },
      },
    },
  );
  const id = { server: 'docs', uri: 'skill://refunds/SKILL.md' };
  await toolbox.skills.read(id);
  expect(asked).toEqual([]);
  await callRewrite(toolbox, 'refunds/SKILL.md', rewritten);
  await waitFor(() => toolbox.skills.find(id)?.changed === 'ask');
  await expect(toolbox.skills.read(id, 'references/policy.md')).rejects.toMatchObject({ code: 'CALL_DENIED' });
  // A plain read of the resource is no way around.
  await expect(toolbox.resources.read('docs', 'skill://refunds/SKILL.md')).rejects.toMatchObject({
    code: 'CALL_DENIED',
  });
  expect(asked[0]?.reason).toBe('the skill refunds of server docs changed since it was accepted');
  expect(asked[0]?.change).toContainEqual(expect.objectContaining({ path: '/frontmatter/description' }));
  answer = { kind: 'allow' };
  expect(await toolbox.skills.read(id)).toMatchObject({ text: rewritten });
  expect(toolbox.skills.find(id)?.changed).toBe('ask');
  answer = { kind: 'allow', scope: 'tool', audience: 'everyone' };
  await toolbox.skills.read(id);
  expect(toolbox.skills.find(id)?.changed).toBeUndefined();
  expect(asked).toHaveLength(4);
  await toolbox.skills.read(id);
  expect(asked).toHaveLength(4);
  const [last] = await toolbox.calls.list({ limit: 1 });
  expect(last).toMatchObject({ kind: 'resource', server: 'docs', arguments: { uri: 'skill://refunds/SKILL.md' } });
});

test('a skill that changes while a read of it waits for approval needs another approval', async () => {
  const asked: string[] = [];
  const id = { server: 'docs', uri: 'skill://refunds/SKILL.md' };
  await using toolbox = await openToolbox(
    { servers: { docs: { ...fixture('skills'), onChange: 'ask' } } },
    {
      approver: {
        async ask({ definitionHash }) {
          asked.push(definitionHash);
          if (asked.length > 1) return { kind: 'deny' };
          await callRewrite(toolbox, 'refunds/SKILL.md', rewritten.replace(/description: .*/, 'description: Another.'));
          await waitFor(() => toolbox.skills.find(id)?.definitionHash !== definitionHash);
          return { kind: 'allow' };
        },
      },
    },
  );
  await callRewrite(toolbox, 'refunds/SKILL.md', rewritten);
  await waitFor(() => toolbox.skills.find(id)?.changed === 'ask');
  await expect(toolbox.skills.read(id)).rejects.toMatchObject({ code: 'CALL_DENIED' });
  expect(asked).toHaveLength(2);
  expect(asked[1]).toBe(toolbox.skills.find(id)?.definitionHash);
});

test('a file that is not the listed one is not passed on, and the change of the skill is noticed', async () => {
  await using toolbox = await openToolbox({ servers: { docs: { ...fixture('skills'), onChange: 'ask' } } });
  const id = { server: 'docs', uri: 'skill://refunds/SKILL.md' };
  // Neither the name nor the description changes, so that the server announces nothing.
  await callRewrite(toolbox, 'refunds/references/policy.md', 'Refunds within 90 days.\n');
  await expect(toolbox.skills.read(id, 'references/policy.md')).rejects.toMatchObject({ code: 'SERVER_PROTOCOL' });
  expect(toolbox.skills.find(id)).toMatchObject({
    changed: 'ask',
    changes: [{ path: '/files/references~1policy.md/digest' }],
  });
});

test('a server cannot serve another skill than it lists', async () => {
  await using gateway = await openTestGateway({ servers: { bad: fixture('lying-skills') } });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'modern');
  expect(await urisOf(client)).toHaveLength(4);
  const read = (uri: string) => client.client.readResource({ uri });
  await expect(read('skill://bad/swapped/SKILL.md')).rejects.toThrow('its content is not the one that the skill lists');
  await expect(read('skill://bad/renamed/SKILL.md')).rejects.toThrow('its frontmatter is not the one');
  for (const uri of ['skill://bad/unlisted/SKILL.md', 'skill://unlisted/SKILL.md'])
    await expect(read(uri)).rejects.toMatchObject({ code: -32602 });
});

test('each read of a generated skill asks, even after an answer for always', async () => {
  let asked = 0;
  await using toolbox = await openToolbox(
    { servers: { bad: fixture('lying-skills') } },
    {
      approver: {
        ask: async () => {
          asked++;
          return { kind: 'allow', scope: 'tool', audience: 'everyone' };
        },
      },
    },
  );
  const id = { server: 'bad', uri: 'skill://generated/SKILL.md' };
  for (const count of [1, 2]) {
    expect(await toolbox.skills.read(id)).toMatchObject({ text: expect.stringContaining('Version 1') });
    expect(asked).toBe(count);
  }
});

test('the texts of a skill are scanned like the definitions of tools: the frontmatter when it is listed, a file when it is read', async () => {
  await using toolbox = await openToolbox({ servers: { bad: fixture('lying-skills') } });
  const id = { server: 'bad', uri: 'skill://poisoned/SKILL.md' };
  expect(toolbox.skills.warnings(id)).toEqual([]);
  await toolbox.skills.read(id);
  expect(toolbox.skills.warnings(id).map(({ rule, where }) => `${rule} ${where}`)).toEqual(
    expect.arrayContaining(['overrides-instructions /files/SKILL.md', 'hides-from-user /files/SKILL.md']),
  );
});

test('skills of a local folder are served, and follow the folder', async () => {
  await using directory = await tempDir();
  const write = async (name: string, description: string) => {
    await mkdir(directory.file(`skills/${name}`), { recursive: true });
    const text = `---\nname: ${name}\ndescription: ${description}\n---\nText\n`;
    await writeFile(directory.file(`skills/${name}/SKILL.md`), text);
  };
  await write('git', 'Commit well');
  await writeFile(
    directory.file('toolwharf.yaml'),
    'servers: {}\nskills: ./skills\nprofiles: { none: { skills: [] } }\n',
  );
  await using gateway = await openTestGateway(directory.file('toolwharf.yaml'), { watch: true });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'legacy');
  const skills = new SkillsClient(client.client);
  const { skill } = await skills.get('skill://local/git/SKILL.md');
  expect(await skills.read(skill)).toMatchObject({ verified: true, body: 'Text\n' });
  await using none = await connectMcp(`${gateway.url}/mcp/none`, 'legacy');
  expect(await urisOf(none)).toEqual([]);
  await expect(none.client.readResource({ uri: 'skill://local/git/SKILL.md' })).rejects.toThrow();
  await write('release', 'Release a version');
  await waitFor(async () => (await urisOf(client)).includes('skill://local/release/SKILL.md'));
});

test('a gateway without skills does not announce the extension', async () => {
  await using gateway = await openTestGateway({ servers: { memo: fixture('legacy') } });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'modern');
  expect(new SkillsClient(client.client).supported).toBe(false);
});
