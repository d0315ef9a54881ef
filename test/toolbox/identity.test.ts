import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createToolbox, localTool } from '../../packages/toolwharf/index.ts';
import { createMemoryPins, createMemoryRules } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { collectLog, fixture, tempDir } from '../support/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';

const server = (me: string, names: string, more: Record<string, string> = {}) =>
  fixture('named-tools', { ME: me, NAMES: names, ...more });
const github = server('github', 'enterprise_delete');
const enterprise = server('enterprise', 'delete');
const shared = 'mcp_github_enterprise_delete';
const suffixed = new RegExp(`^${shared}_[0-9a-f]{8}$`);
const trusting = (...trustedTools: string[]) => ({ approval: { mode: 'trusted-only' as const, trustedTools } });

test('a server that is added later takes over neither the name nor the trust of an older tool [N9, B8]', async () => {
  await using toolbox = await createToolbox({ servers: { github }, toolbox: trusting(shared) });
  const held = toolbox.tool(shared);
  await toolbox.servers.add('github_enterprise', enterprise);
  const [newcomer] = toolbox.tools.filter(({ server }) => server === 'github_enterprise');
  expect(newcomer?.name).toMatch(suffixed);
  expect(await toolbox.call(shared, {})).toMatchObject({ text: 'github: enterprise_delete' });
  expect(await held?.execute({})).toMatchObject({ text: 'github: enterprise_delete' });
  expect(await newcomer?.execute({})).toMatchObject({ failure: { code: 'CALL_DENIED' } });
});

test('a server with a shorter name that is added later takes over neither the name nor the trust of an older tool [N9, B8]', async () => {
  await using toolbox = await createToolbox({
    servers: { github_enterprise: enterprise },
    toolbox: trusting(shared),
  });
  const held = toolbox.tool(shared);
  await toolbox.servers.add('github', github);
  const [newcomer] = toolbox.tools.filter(({ server }) => server === 'github');
  expect(newcomer?.name).toMatch(suffixed);
  expect(await held?.execute({})).toMatchObject({ text: 'enterprise: delete' });
  expect(await newcomer?.execute({})).toMatchObject({ failure: { code: 'CALL_DENIED' } });
});

test('names, trust and rules survive a restart, regardless of the position of a new server in the file [N9]', async () => {
  // The older server answers last, so only its stored pin is known when the new server is named.
  const slow = server('github', 'enterprise_delete', { START_MS: '300' });
  const approver = { ask: async () => ({ kind: 'allow', scope: 'tool' }) as const };
  for (const restarted of [
    { github: slow, github_enterprise: enterprise },
    { github_enterprise: enterprise, github: slow },
  ]) {
    const stores = { pins: createMemoryPins(), rules: createMemoryRules() };
    {
      const config = { servers: { github: slow }, toolbox: { approval: { mode: 'always-ask' as const } } };
      await using toolbox = await createToolbox(config, { ...stores, approver });
      expect(await toolbox.call(shared, {})).toMatchObject({ isError: false });
    }
    for (const approval of [trusting(shared), { approval: { mode: 'always-ask' as const } }]) {
      await using toolbox = await createToolbox({ servers: restarted, toolbox: approval }, stores);
      expect(await toolbox.call(shared, {})).toMatchObject({ text: 'github: enterprise_delete' });
      const [newcomer] = toolbox.tools.filter(({ server }) => server === 'github_enterprise');
      expect(newcomer?.name).toMatch(suffixed);
      expect(await newcomer?.execute({})).toMatchObject({ failure: { code: 'CALL_DENIED' } });
    }
  }
});

test('a name stays reserved while its server is disabled [N9]', async () => {
  const pins = createMemoryPins();
  await (await createToolbox({ servers: { github } }, { pins })).close();
  const servers = { github_enterprise: enterprise, github: { ...github, enabled: false } };
  await using toolbox = await createToolbox({ servers }, { pins });
  expect(toolbox.tools.map(({ name }) => name)).toEqual([expect.stringMatching(suffixed)]);
});

test('of several servers that start together, the first in the file gets the name, regardless of the order in which they connect [N9]', async () => {
  const slow = server('github', 'enterprise_delete', { START_MS: '300' });
  await using toolbox = await createToolbox({ servers: { github: slow, github_enterprise: enterprise } });
  expect(toolbox.tool(shared)?.server).toBe('github');
  expect(toolbox.tools.map(({ name }) => name)).toContainEqual(expect.stringMatching(suffixed));
});

test('a name stays reserved while its server is disconnected, changed or reconnected [N9]', async () => {
  await using toolbox = await createToolbox({ servers: { github } });
  const held = toolbox.tool(shared);
  await toolbox.servers.disconnect('github');
  await toolbox.servers.add('github_enterprise', enterprise);
  expect(toolbox.tool(shared)).toBeUndefined();
  expect(await held?.execute({})).toMatchObject({ failure: { code: 'TOOL_NAME_INVALID' } });
  await toolbox.servers.connect('github');
  expect(toolbox.tool(shared)?.server).toBe('github');
  await toolbox.servers.update('github', { ...github, timeout: '20s' });
  expect(toolbox.tool(shared)?.server).toBe('github');
  expect(await held?.execute({})).toMatchObject({ text: 'github: enterprise_delete' });
});

test('a server that is added by a configuration change does not take over a name [N9]', async () => {
  await using directory = await tempDir();
  const file = directory.file('toolwharf.json');
  await writeFile(file, JSON.stringify({ servers: { github } }));
  await using toolbox = await createToolbox(file, { watch: true });
  await writeFile(file, JSON.stringify({ servers: { github_enterprise: enterprise, github } }));
  await waitFor(() => toolbox.tools.length === 2);
  expect(toolbox.tool(shared)?.server).toBe('github');
});

test('in plain naming the last registered tool gets the name, but neither trust nor existing tool objects follow the name [M10, N9]', async () => {
  const { log, entries } = collectLog();
  const [a, b] = [server('a', 'search'), server('b', 'search')];
  await using toolbox = await createToolbox(
    { servers: { a }, toolbox: { naming: 'plain', ...trusting('search') } },
    { log },
  );
  const held = toolbox.tool('search');
  expect(await held?.execute({})).toMatchObject({ text: 'a: search' });
  await toolbox.servers.add('b', b);
  expect(toolbox.tool('search')?.server).toBe('b');
  expect(entries.map(({ message }) => message)).toContain(
    "Tool name 'search' is offered by 'a', 'b'; the last one registered is used",
  );
  expect(await toolbox.call('search', {})).toMatchObject({ failure: { code: 'CALL_DENIED' } });
  expect(await held?.execute({})).toMatchObject({ failure: { code: 'TOOL_NAME_INVALID' } });
});

test('a trusted tool pattern that is ambiguous or names no server causes a warning [N9]', async () => {
  const { log, entries } = collectLog();
  const sum = localTool({ name: 'sum', parameters: { type: 'object' }, execute: () => 'x' });
  const config = { servers: { github, github_enterprise: enterprise }, toolbox: trusting(shared, 'delete', 'sum') };
  await using _toolbox = await createToolbox(config, { log, tools: [sum], connect: false });
  expect(entries.filter(({ event }) => event === 'policy.trust-unclear').map(({ message }) => message)).toEqual([
    expect.stringContaining(`'${shared}' could mean tools of the servers 'github' and 'github_enterprise'`),
    expect.stringContaining("'delete' matches no tool"),
  ]);
});
