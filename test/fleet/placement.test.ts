import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, connectRooted, experimental, usualAnswers } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { patienceMs, waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const limits = { timeout: patienceMs, defaultToolConfig: { timeout: patienceMs } };
const single = { ...limits, placement: 'single' } as const;
const source = {
  servers: {
    s: { ...fixture('legacy'), ...single },
    own: { ...fixture('rooted'), ...single, isolation: 'session' as const },
    exact: { ...fixture('exact'), ...single },
  },
};
let postgres: TestPostgres;
let replicas: Replicas;
beforeAll(async () => {
  postgres = await startPostgres();
  replicas = await startReplicas(postgres, source);
  for (const replica of replicas.all)
    for (const server of Object.keys(source.servers)) await waitUntilConnected(replica, server);
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await postgres.stop();
});

const key = () => ({ key: replicas.adminToken });
const statusOn = async (replica: TestApi, server = 's') =>
  (await replica.get(`/api/servers/${server}`, key())).body.status;
const waitUntilConnected = (replica: TestApi, server = 's') =>
  waitFor(async () => (await statusOn(replica, server)).state === 'connected', { what: 'the connection' });

/** The replica that runs the server, and the other one. */
async function roles(server = 's'): Promise<readonly [TestApi, TestApi, string]> {
  const [one, two] = replicas.all;
  const { body } = await one.get('/api/fleet', key());
  const self = body.replicas.find((replica: { self: boolean }) => replica.self).id;
  const { replica } = await statusOn(one, server);
  return replica === self ? [one, two, replica] : [two, one, replica];
}

describe('a server of placement single', () => {
  test('one replica runs the server, and every replica names it', async () => {
    const [one, two] = replicas.all;
    const [here, there] = [await statusOn(one), await statusOn(two)];
    expect(here.pid).toBeGreaterThan(0);
    expect([there.pid, there.replica]).toEqual([here.pid, here.replica]);
    const fleet = await waitFor(
      async () => {
        const { body } = await two.get('/api/fleet', key());
        return body.replicas.some(({ servers }: { servers?: string[] }) => servers?.includes('s')) && body;
      },
      { what: 'the owner' },
    );
    const owners = fleet.replicas.filter(({ servers }: { servers: string[] }) => servers.includes('s'));
    expect(owners.map(({ id }: { id: string }) => id)).toEqual([here.replica]);
  });

  test('a call on another replica is sent to the owner, and the journal names both', async () => {
    const [, other, owner] = await roles();
    const { status, body } = await other.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'hello' } }, key());
    expect([status, body.text]).toEqual([200, 'hello']);
    const record = (await other.get(`/api/calls/${body.callId}`, key())).body;
    expect(record).toMatchObject({ status: 'success', ranOn: owner });
    expect(record.replica).not.toBe(owner);
  });

  test('a call that is sent to the owner keeps its arguments and its result as they were written', async () => {
    const structured = '{"id": 9007199254740993, "2":1.0}';
    const result = `{"content":[{"type":"text","text":"LINE"}],"structuredContent":${structured}}`;
    const args = `{"n": 9007199254740995,"result":${JSON.stringify(result)}}`;
    for (const { url } of replicas.all) {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${replicas.adminToken}` };
      const call = () =>
        fetch(`${url}/api/tools/mcp_exact_echo/call`, { method: 'POST', headers, body: `{"arguments":${args}}` });
      const text = String(
        await waitFor(
          async () => {
            const response = await call();
            return response.status === 200 && response.text();
          },
          { what: 'the tool' },
        ),
      );
      expect(text).toContain(`"structuredContent":${structured}`);
      expect((JSON.parse(text) as { text: string }).text).toContain(`"arguments":${args}`);
    }
  });

  test('definitions, log messages, progress, questions and errors pass between replicas with all digits', async () => {
    const odd = '{"id":9007199254740993,"one":1.0}';
    const meta =
      '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/logLevel":"debug","progressToken":1';
    const messages = [
      `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${odd}}}`,
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":9007199254740993}}',
    ];
    const ask = `{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9223372036854775807}}}}}`;
    for (const { url } of replicas.all) {
      const send = async (method: string, name: string, params: string) => {
        const headers = {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name },
          authorization: `Bearer ${replicas.adminToken}`,
        };
        const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}"_meta":{${meta}}}}`;
        return (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).text();
      };
      const call = (args: object, more = '') =>
        send('tools/call', 'exact__echo', `"name":"exact__echo","arguments":${JSON.stringify(args)},${more}`);
      const tools = await send('tools/list', '', '');
      expect(tools).toContain('"count":{"type":"integer","maximum":9223372036854775807,"default":9007199254740993}');
      const noted = await call({ send: messages });
      expect(noted).toContain(`"data":${odd}`);
      expect(noted).toContain('"progress":9007199254740993');
      const error = `{"code":-32050,"message":"no","data":${odd}}`;
      expect(await call({ error })).toContain(`"data":${odd}`);
      const asked = await call({ ask });
      expect(asked).toContain('"maximum":9223372036854775807');
      const reply = asked.startsWith('{') ? asked : (/^data: (.*)$/m.exec(asked)?.[1] ?? '');
      const { inputRequests, requestState } = (
        JSON.parse(reply) as { result: { inputRequests: object; requestState: string } }
      ).result;
      const [question = ''] = Object.keys(inputRequests);
      const answer = `"inputResponses":{"${question}":{"action":"accept","content":{"n":9007199254740995}}},"requestState":"${requestState}",`;
      expect(await call({ ask }, answer)).toContain('\\"content\\":{\\"n\\":9007199254740995}');
    }
  });

  test.each(['legacy', 'modern'] as const)(
    'questions, progress, logs, resources and prompts pass between replicas (%s client)',
    async (era) => {
      const [, other] = await roles();
      await using client = await connectMcp(`${other.url}/mcp`, era, { answers: usualAnswers });
      expect(await client.text('s__ask', { question: 'who' })).toContain('re: who');
      expect(await client.text('s__sample', { prompt: 'p' })).toContain('sampled');
      expect(await client.text('s__roots')).toContain('file:///test');
      const { resources } = await client.client.listResources();
      expect(resources.length).toBeGreaterThan(0);
      const read = await client.client.readResource({ uri: String(resources[0]?.uri) });
      expect(read.contents.length).toBeGreaterThan(0);
      const { prompts } = await client.client.listPrompts();
      expect(prompts.length).toBeGreaterThan(0);
    },
  );

  test('a client of another replica has a session of its own, with its capabilities and changed roots', async () => {
    const [, other] = await roles('own');
    await using one = await connectRooted(`${other.url}/mcp`, 'file:///one');
    await using two = await connectRooted(`${other.url}/mcp`, 'file:///two');
    expect(JSON.parse(await one.text('own__client')).capabilities).toMatchObject({
      experimental,
      roots: { listChanged: true },
    });
    expect(await two.text('own__roots')).toBe('unchanged');
    await one.announceRoots('own__roots');
    expect(await two.text('own__roots')).toBe('unchanged');
  });

  test('a modern client of another replica has a session of its own, as its caller', async () => {
    const [owner, other] = await roles('own');
    const createKey = async () => String((await owner.post('/api/keys', { name: 'test' }, key())).body.key);
    const pidOf = async (callerKey: string) => {
      await using client = await connectMcp(`${other.url}/mcp`, 'modern', { key: callerKey });
      return await client.text('own__pid');
    };
    const [one, two] = [await createKey(), await createKey()];
    const pid = await pidOf(one);
    expect(await pidOf(one)).toBe(pid);
    expect(await pidOf(two)).not.toBe(pid);
  });

  test('a call is cancelled at the owner', async () => {
    const [owner, other] = await roles();
    const callId = crypto.randomUUID();
    const calling = other.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId }, key());
    await waitFor(async () => (await owner.get(`/api/calls/${callId}`, key())).body.status === 'running', {
      what: 'the running call',
    });
    expect((await owner.post(`/api/calls/${callId}/cancel`, undefined, key())).status).toBe(204);
    expect((await calling).status).toBe(499);
  });

  test('updates of a resource reach subscribers on another replica', async () => {
    const [, other] = await roles();
    await using client = await connectMcp(`${other.url}/mcp`, 'legacy');
    await client.client.subscribeResource({ uri: 'memo://one' });
    await client.text('s__touch', { uri: 'memo://one' });
    await waitFor(() => client.notices.some(({ method }) => method === 'notifications/resources/updated'), {
      what: 'the update',
    });
  });

  test('another replica runs the server when the owner disconnects it', async () => {
    const [owner, other, before] = await roles();
    expect((await owner.post('/api/servers/s/disconnect', undefined, key())).status).toBe(200);
    await waitFor(async () => (await statusOn(other)).replica !== before, { what: 'the next owner' });
    await waitUntilConnected(other);
    expect((await other.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'moved' } }, key())).status).toBe(200);
    expect((await owner.post('/api/servers/s/connect', undefined, key())).status).toBe(200);
    const { body } = await owner.post('/api/tools/mcp_s_echo/call', { arguments: { text: 'forwarded' } }, key());
    expect(body).toMatchObject({ text: 'forwarded' });
  });
});
