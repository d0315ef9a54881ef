import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { openStorage } from '../../packages/gateway/core/storage/open-storage.ts';
import { createMemoryPins } from '../../packages/toolwharf/storage/memory/memory-stores.ts';
import { connectAgent, toCall } from '../support/a2a.ts';
import { startApi } from '../support/api.ts';
import { collectLog, tempDir } from '../support/fixtures.ts';
import { root } from '../support/imports.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const shared = (file: string) =>
  JSON.stringify(pathToFileURL(join(root, 'test', 'fixtures', 'servers', 'shared', file)).href);

/** A server whose program exists from `install` to `uninstall`. Its tool `act` writes a file. */
async function createInstallable() {
  const dir = await tempDir();
  const [program, effect] = [dir.file('server.mjs'), dir.file('effect')];
  return {
    servers: { late: { command: process.execPath, args: [program] } },
    hasRun: () => existsSync(effect),
    uninstall: () => rm(program),
    install: (description = 'Acts') =>
      writeFile(
        program,
        `import { writeFileSync } from 'node:fs';
        import { serveLegacy } from ${shared('legacy-peer.mjs')};
        import { text } from ${shared('peer.mjs')};
        import { tableOf, tool } from ${shared('tools.mjs')};
        const act = () => {
          writeFileSync(${JSON.stringify(effect)}, 'ran');
          return text('done');
        };
        serveLegacy({ name: 'late', tools: tableOf([tool('act', ${JSON.stringify(description)}, {}, act)]) });`,
      ),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** Accepts the tools of the server, which is down afterwards. */
async function acceptOnce({ servers, install, uninstall }: Awaited<ReturnType<typeof createInstallable>>) {
  const pins = createMemoryPins();
  await install();
  const toolbox = await openToolbox({ servers }, { pins });
  expect(toolbox.tools.map(({ name }) => name)).toEqual(['mcp_late_act']);
  await toolbox.close();
  await uninstall();
  return pins;
}

test('after a restart, the tools of a server that is down are listed and callable: a call tries the server at once [O3]', async () => {
  await using late = await createInstallable();
  const pins = await acceptOnce(late);
  const { log, entries } = collectLog();
  await using toolbox = await openToolbox({ servers: late.servers }, { pins, log });
  await waitFor(() => toolbox.tool('mcp_late_act') !== undefined, { what: 'the accepted tool' });
  expect(await toolbox.call('mcp_late_act', {})).toMatchObject({
    isError: true,
    text: expect.stringMatching(/Not connected to MCP server: late \(.*exited with code 1/s),
  });
  await late.install();
  expect(await toolbox.call('mcp_late_act', {})).toMatchObject({ isError: false, text: 'done' });
  expect(entries.filter(({ event }) => event === 'catalog.tool-gone' || event === 'catalog.tool-discovered')).toEqual(
    [],
  );
});

test('a call that waited for its server is not sent if the tool changed meanwhile [O3]', async () => {
  await using late = await createInstallable();
  const pins = await acceptOnce(late);
  await using toolbox = await openToolbox({ servers: late.servers }, { pins });
  await waitFor(() => toolbox.tool('mcp_late_act') !== undefined, { what: 'the accepted tool' });
  await late.install('Deletes everything');
  const calls = await Promise.all([toolbox.call('mcp_late_act', {}), toolbox.call('mcp_late_act', {})]);
  for (const { isError, text } of calls) {
    expect(isError).toBe(true);
    expect(text).toContain('changed while its server was not connected');
  }
  expect(late.hasRun()).toBe(false);
});

test('MCP clients list the accepted tools of a server that is down, and are notified when a server comes late [O3]', async () => {
  await using late = await createInstallable();
  await using fresh = await createInstallable();
  const storage = await openStorage({ kind: 'memory' });
  await storage.pins.setAll(await (await acceptOnce(late)).list());
  const servers = { ...late.servers, fresh: fresh.servers.late };
  await using gateway = await openTestGateway({ servers, gateway: { listWait: 0 } }, { storage });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'legacy');
  const names = async () => (await client.client.listTools()).tools.map(({ name }) => name);
  await waitFor(() => gateway.parts.toolbox.tool('mcp_late_act') !== undefined, { what: 'the accepted tool' });
  expect(await names()).toContain('late__act');
  expect(await names()).not.toContain('fresh__act');
  await expect(client.text('late__act')).resolves.toContain('Not connected to MCP server: late');
  const before = client.notices.length;
  await fresh.install();
  await waitFor(
    () => client.notices.slice(before).some(({ method }) => method === 'notifications/tools/list_changed'),
    {
      what: 'the notification',
    },
  );
  expect(await names()).toContain('fresh__act');
  expect(await client.text('fresh__act')).toBe('done');
});

test('a call to a server that has never been connected tries it at once [O3]', async () => {
  await using late = await createInstallable();
  await using toolbox = await openToolbox({ servers: late.servers }, { startWaitMs: 60_000 });
  await waitFor(() => toolbox.servers.status('late')?.state === 'error', { what: 'the failed start' });
  await late.install();
  await waitFor(async () => !(await toolbox.call({ server: 'late', tool: 'act' }, {})).isError, { what: 'the call' });
  expect(await toolbox.call('mcp_late_nothing', {})).toMatchObject({ failure: { code: 'TOOL_NAME_INVALID' } });
});

test('a client that calls a tool of a server that has never been connected gets its result [O3]', async () => {
  await using late = await createInstallable();
  await using gateway = await openTestGateway({ servers: late.servers, gateway: { listWait: 0 } });
  await using client = await connectMcp(`${gateway.url}/mcp`, 'legacy');
  await waitFor(() => gateway.toolbox.servers.status('late')?.state === 'error', { what: 'the failed start' });
  const call = () => client.client.callTool({ name: 'late__act', arguments: {} });
  await expect(call()).rejects.toThrow(/late__act. Server 'late' is not available: .+/);
  await expect(client.client.callTool({ name: 'other__act', arguments: {} })).rejects.toThrow(/other__act$/);
  await late.install();
  await waitFor(
    () =>
      call()
        .then(({ isError }) => !isError)
        .catch(() => false),
    { what: 'the call' },
  );
});

test('a program and an agent that name a tool of a server which is down are told so [O3]', async () => {
  const servers = { late: { command: '/no/such/program' } };
  await using toolbox = await openToolbox({ servers });
  for (const tool of ['mcp_late_act', { server: 'late', tool: 'act' }])
    expect((await toolbox.call(tool, {})).failure?.message).toMatch(/late.act. Server 'late' is not available: .+/);
  expect((await toolbox.call('other_act', {})).failure?.message).toBe('Invalid MCP tool name: other_act');
  await using api = await startApi({ servers, gateway: { listWait: 0 } });
  await waitFor(() => api.toolbox.servers.status('late')?.state === 'error', { what: 'the failed start' });
  const agent = await connectAgent(api.url);
  const answer = JSON.stringify(await agent.sendMessage(toCall('late__act', {})));
  expect(answer).toMatch(/There is no skill 'late__act'. Server 'late' is not available: .+/);
});

test('a call over REST that names a tool of a server which is down is told so [O3]', async () => {
  await using api = await startApi({ servers: { late: { command: '/no/such/program' } }, gateway: { listWait: 0 } });
  await waitFor(() => api.toolbox.servers.status('late')?.state === 'error', { what: 'the failed start' });
  const call = async (tool: string) =>
    (await api.post(`/api/tools/${tool}/call`, { arguments: {} }, { key: api.adminToken })).body.error.message;
  expect(await call('mcp_late_act')).toMatch(/^There is no tool 'mcp_late_act'. Server 'late' is not available: .+/);
  expect(await call('other_act')).toBe("There is no tool 'other_act'");
});
