import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent, toCall } from '../support/a2a.ts';
import type { TestApi } from '../support/api.ts';
import { fixture, tempDir } from '../support/fixtures.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const single = { placement: 'single' as const, defaultToolConfig: { timeout: patienceMs } };

/** The replica that runs the server, and the other one. */
async function roles({ all: [one, two], adminToken: key }: Replicas): Promise<readonly [TestApi, TestApi]> {
  const statusOn = async (replica: TestApi) => (await replica.get('/api/servers/s', { key })).body.status;
  for (const replica of [one, two])
    await waitFor(async () => (await statusOn(replica)).state === 'connected', { what: 'the connection' });
  const { body } = await one.get('/api/fleet', { key });
  const self = body.replicas.find((replica: { self: boolean }) => replica.self).id;
  return (await statusOn(one)).replica === self ? [one, two] : [two, one];
}

describe('a server of placement single, while its owner changes', () => {
  test('an owner that stops finishes the calls that it runs for other replicas, and later calls run on the next owner', async () => {
    await using dir = await tempDir();
    const gateway = { shutdown: patienceMs };
    await using replicas = await startReplicas(postgres, {
      servers: { s: { ...fixture('gated'), ...single } },
      gateway,
    });
    const key = { key: replicas.adminToken };
    const [owner, other] = await roles(replicas);
    const call = (tool: string, args: object, callId = crypto.randomUUID()) =>
      other.post(`/api/tools/mcp_s_${tool}/call`, { arguments: args, callId }, key);
    const gate = dir.file('gate');
    const callId = crypto.randomUUID();
    const running = call('pass', { path: gate }, callId);
    await waitFor(async () => (await other.get(`/api/calls/${callId}`, key)).body.status === 'running', {
      what: 'the running call',
    });
    // The owner has received it when a later call has been answered.
    expect((await call('echo', { text: 'before' })).body.text).toBe('before');
    // A request of a client that stays until the end of the stop.
    const open = new AbortController();
    const reading = fetch(new URL('/api/events', owner.url), {
      headers: { authorization: `Bearer ${replicas.adminToken}` },
      signal: open.signal,
    }).catch(() => {});
    await reading;
    const stopped = owner.close();
    const later = call('echo', { text: 'later' });
    await writeFile(gate, '');
    expect((await running).body).toMatchObject({ text: 'passed' });
    expect((await later).body).toMatchObject({ text: 'later' });
    open.abort();
    await stopped;
  });

  test('an owner that stops finishes the calls of its own clients that wait for a permit', async () => {
    await using dir = await tempDir();
    const tool = { maxInstances: 1, timeout: patienceMs };
    await using replicas = await startReplicas(postgres, {
      servers: { s: { ...fixture('gated'), placement: 'single', defaultToolConfig: tool } },
      gateway: { shutdown: patienceMs },
    });
    const key = { key: replicas.adminToken };
    const [owner] = await roles(replicas);
    const pass = () => owner.post('/api/tools/mcp_s_pass/call', { arguments: { path: dir.file('gate') } }, key);
    const calls = [pass(), pass(), pass()];
    await waitFor(() => owner.toolbox.calls.stats().running === 1 && owner.toolbox.calls.stats().queued === 2, {
      what: 'the queue',
    });
    const stopped = owner.close();
    await writeFile(dir.file('gate'), '');
    expect((await Promise.all(calls)).map(({ body }) => body.text ?? body.error)).toEqual(Array(3).fill('passed'));
    await stopped;
  });

  test('a tool of a server that starts is not unknown over A2A', async () => {
    const server = { ...fixture('late', { START_MS: '1000' }), ...single };
    await using replicas = await startReplicas(postgres, { servers: { s: server }, gateway: { listWait: 0 } });
    const tasks = replicas.all.map(async ({ url }) => {
      const agent = await connectAgent(url);
      return JSON.stringify(await agent.sendMessage(toCall('s__echo', { text: 'over A2A' })));
    });
    for (const task of await Promise.all(tasks)) {
      expect(task).toContain('over A2A');
      expect(task).not.toContain('There is no skill');
    }
  });

  test.each(['legacy', 'modern'] as const)(
    'a tool of a server that starts is not unknown: calls wait until the server has listed it (%s client)',
    async (era) => {
      const server = { ...fixture('late', { START_MS: '1000' }), ...single };
      await using replicas = await startReplicas(postgres, { servers: { s: server }, gateway: { listWait: 0 } });
      const key = { key: replicas.adminToken };
      const [one, two] = replicas.all;
      await using client = await connectMcp(`${one.url}/mcp`, era);
      const [rest, mcp] = await Promise.all([
        two.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'over REST' } }, key),
        client.text('s__echo', { text: 'over MCP' }),
      ]);
      expect([rest.body.text, mcp]).toEqual(['over REST', 'over MCP']);
    },
  );

  test.each(['legacy', 'modern'] as const)(
    'reads wait until a server that starts has listed its prompts and resources (%s client)',
    async (era) => {
      const server = { ...fixture('late', { START_MS: '1000' }), ...single };
      await using replicas = await startReplicas(postgres, { servers: { s: server }, gateway: { listWait: 0 } });
      const key = { key: replicas.adminToken };
      const [one, two] = replicas.all;
      await using connected = await connectMcp(`${one.url}/mcp`, era);
      const { client } = connected;
      const ref = { type: 'ref/prompt', name: 's__greet' } as const;
      const [prompt, resource, completion, listed, read, rendered] = await Promise.all([
        client.getPrompt({ name: 's__greet', arguments: { name: 'Ada' } }),
        client.readResource({ uri: 'memo://one' }),
        client.complete({ ref, argument: { name: 'name', value: 'A' } }),
        two.get('/api/servers/s/resources', key),
        two.get(`/api/servers/s/resources/read?uri=${encodeURIComponent('memo://one')}`, key),
        two.post('/api/servers/s/prompts/greet', { arguments: { name: 'Ada' } }, key),
      ]);
      expect(prompt.messages).toHaveLength(1);
      expect(resource.contents).toHaveLength(1);
      expect(completion.completion).toBeDefined();
      expect(listed.body.resources.length).toBeGreaterThan(0);
      expect([read.status, rendered.status]).toEqual([200, 200]);
    },
  );

  test('search, descriptions, scripts and chains wait for the tools of a server that starts, as calls do', async () => {
    await using dir = await tempDir();
    const START_FILE = dir.file('start');
    const server = { ...fixture('slow-start', { START_FILE, START_COUNT: '100' }), ...single };
    const steps = [{ tool: 'mcp_s_echo', arguments: { text: 'over a chain' } }];
    await using replicas = await startReplicas(postgres, {
      servers: { s: server },
      gateway: { listWait: 0 },
      toolbox: { chains: { relay: { description: 'Relays', steps } } },
      profiles: { searching: { expose: 'search' }, coding: { expose: 'code' } },
    });
    const { url } = replicas.all[0];
    await using searching = await connectMcp(`${url}/mcp/searching`, 'legacy');
    await using coding = await connectMcp(`${url}/mcp/coding`, 'legacy');
    await using all = await connectMcp(`${url}/mcp`, 'legacy');
    const replies = Promise.all([
      searching.text('call_tool', { name: 's__echo', arguments: { text: 'over search' } }),
      coding.text('run_code', { code: `await tools.s.echo({ text: 'over a script' })` }),
      all.text('relay', {}),
      searching.text('describe_tools', { names: ['s__echo'], format: 'typescript' }),
      coding.text('describe_tools', { names: ['tools.s.echo'] }),
    ]);
    // Answered after the calls before it have arrived.
    for (const client of [searching, coding, all]) await client.client.ping();
    await writeFile(START_FILE, '\n'.repeat(200));
    const [called, ran, chained, described, declared] = await replies;
    expect([called, ran, chained]).toEqual(['over search', 'over a script', 'over a chain']);
    expect(`${described}${declared}`).not.toContain('Unknown');
    expect(declared).toContain('echo(');
  });

  test('a call to a server that no replica can run fails with the reason, not because the tool is unknown', async () => {
    const server = { ...fixture('hang-on-start'), ...single, timeout: 1_000 };
    await using replicas = await startReplicas(postgres, { servers: { s: server }, gateway: { listWait: 0 } });
    const key = { key: replicas.adminToken };
    for (const replica of replicas.all) {
      const { status, body } = await replica.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'x' } }, key);
      expect([status, body.error.code]).toEqual([503, 'SERVER_UNAVAILABLE']);
      expect(body.error.message).toContain("Server 's' is not available");
    }
    const unknown = await replicas.all[0].post('/api/tools/mcp_other_echo/call', { arguments: {} }, key);
    expect(unknown.body.error.code).toBe('TOOL_NAME_INVALID');
  });
});
