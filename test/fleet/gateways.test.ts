import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHostile } from '../attacks/hostile-server.ts';
import { listenTo } from '../support/event-source.ts';
import { fixture } from '../support/fixtures.ts';
import { connectMcp, usualAnswers } from '../support/mcp-client.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Replicas, startReplicas } from './replicas.ts';

let postgres: TestPostgres;
let replicas: Replicas;
beforeAll(async () => {
  postgres = await startPostgres();
  replicas = await startReplicas(postgres, {
    servers: { s: fixture('legacy'), changing: fixture('changing') },
    toolbox: { approval: { ask: ['*_add'] } },
  });
});
afterAll(async () => {
  await replicas?.[Symbol.asyncDispose]();
  await postgres.stop();
});

const key = () => ({ key: replicas.adminToken });

test('a new tool that is accepted on one replica can be used on the other one', async () => {
  const read = { name: 'read', inputSchema: { type: 'object' } };
  await using server = await startHostile({ tools: [read] });
  const config = { servers: { notes: { url: server.url } }, toolbox: { newTools: 'hide' } } as const;
  await using pair = await startReplicas(postgres, config);
  const admin = { key: pair.adminToken };
  const listed = async ({ url }: { readonly url: string }) => {
    await using client = await connectMcp(`${url}/mcp`, 'modern');
    return (await client.client.listTools()).tools.map(({ name }) => name);
  };
  for (const replica of pair.all) await replica.toolbox.servers.connect('notes');
  server.tools = [read, { ...read, name: 'erase' }];
  for (const replica of pair.all) {
    await replica.toolbox.servers.refreshTools('notes');
    expect(await listed(replica)).toEqual(['notes__read']);
  }
  const [one, two] = pair.all;
  const { definitionHash } = (await one.get('/api/tools/mcp_notes_erase', admin)).body;
  expect((await one.post('/api/tools/mcp_notes_erase/accept', { definitionHash }, admin)).status).toBe(200);
  await waitFor(async () => (await listed(two)).includes('notes__erase'), { what: 'the accepted tool' });
});

describe('a client whose requests reach one replica after the other', () => {
  test.each(['legacy', 'modern'] as const)(
    'a client of several replicas answers the questions of servers (%s)',
    async (era) => {
      await using client = await connectMcp(`${replicas.url}/mcp`, era, { answers: usualAnswers });
      for (let round = 0; round < 6; round++) {
        expect(await client.text('s__ask', { question: `round ${round}` })).toContain(`re: round ${round}`);
        expect(await client.text('s__sample', { prompt: 'p' })).toContain('sampled');
        expect(await client.text('s__roots')).toContain('file:///test');
      }
    },
  );

  // Before a test that cancels a call: for some seconds after that, a log message may belong to the cancelled call of another client.
  test('a client gets log messages of its level and above, whichever replica it set the level on', async () => {
    await using client = await connectMcp(`${replicas.url}/mcp`, 'legacy');
    await client.client.setLoggingLevel('error');
    for (let round = 0; round < 4; round++) {
      await client.text('s__log', { level: 'info', text: `too much ${round}` });
      await client.text('s__log', { level: 'error', text: `enough ${round}` });
    }
    await waitFor(() => client.logs().includes('enough 3'), { what: 'the log messages' });
    expect(client.logs().filter((line) => String(line).includes('too much'))).toEqual([]);
  });

  test('a client of several replicas cancels a call on the other replica', async () => {
    await using client = await connectMcp(`${replicas.url}/mcp`, 'legacy');
    const cancel = new AbortController();
    const calling = client.client.callTool({ name: 's__sleep', arguments: { ms: 600_000 } }, { signal: cancel.signal });
    const [one, two] = replicas.all;
    const running = async () => [...(await list(one)), ...(await list(two))];
    await waitFor(async () => (await running()).length > 0, { what: 'the running call' });
    cancel.abort();
    await expect(calling).rejects.toThrow();
    await waitFor(async () => (await running()).length === 0, { what: 'the end of the call' });
    const { body } = await one.get('/api/calls?limit=1', key());
    expect(body.calls[0]).toMatchObject({ originalName: 'sleep', end: 'cancelled' });

    async function list(replica: typeof one) {
      return (await replica.get('/api/calls?status=running', key())).body.calls;
    }
  });

  test('a client of several replicas ends its session on every replica', async () => {
    const [one, two] = replicas.all;
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams };
    const opened = await fetch(`${one.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(initialize) });
    const session = { ...headers, 'mcp-session-id': String(opened.headers.get('mcp-session-id')) };
    const stream = await fetch(`${two.url}/mcp`, { headers: session });
    expect(stream.status).toBe(200);
    expect((await fetch(`${one.url}/mcp`, { method: 'DELETE', headers: session })).status).toBe(200);
    // The stream on the other replica ends.
    await stream.text();
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect((await fetch(`${two.url}/mcp`, { method: 'POST', headers: session, body: ping })).status).toBe(404);
  });

  test('a client of several replicas gets updates of a resource on a stream of another replica than it subscribed on', async () => {
    await using client = await connectMcp(`${replicas.url}/mcp`, 'legacy');
    await client.client.subscribeResource({ uri: 'memo://one' });
    await waitFor(
      async () => {
        await client.text('s__touch', { uri: 'memo://one' }).catch(() => {});
        return client.notices.some(({ method }) => method === 'notifications/resources/updated');
      },
      { what: 'the update' },
    );
  });
});

describe('a change on one replica applies on the other', () => {
  test('servers that one replica adds, changes and removes are the same on the other', async () => {
    const [one, two] = replicas.all;
    const toolsOn = async (replica: typeof one) =>
      (await replica.get('/api/tools', key())).body.tools
        .filter(({ server }: { server: string }) => server === 'more')
        .map(({ originalName }: { originalName: string }) => originalName);
    const added = { name: 'more', ...fixture('legacy'), transport: 'stdio' };
    expect((await one.post('/api/servers', added, key())).status).toBe(201);
    await waitFor(async () => (await toolsOn(two)).includes('echo'), { what: 'the tools of the added server' });
    await two.post('/api/servers/more/disable', undefined, key());
    await waitFor(async () => (await toolsOn(one)).length === 0, { what: 'the end of the disabled server' });
    await two.post('/api/servers/more/enable', undefined, key());
    await waitFor(async () => (await toolsOn(one)).includes('echo'), { what: 'the enabled server' });
    await two.delete('/api/servers/more', key());
    await waitFor(async () => (await one.get('/api/servers/more', key())).status === 404, { what: 'the removal' });
    expect(await toolsOn(one)).toEqual([]);
  });

  test('a script that one replica saves, changes and deletes is the same tool on the other', async () => {
    const [one, two] = replicas.all;
    const run = async (replica: typeof one) => (await replica.post('/api/tools/saved/call', {}, key())).body.text;
    await one.post('/api/scripts', { name: 'saved', code: "'first'" }, key());
    await waitFor(async () => (await run(two)) === 'first', { what: 'the saved script' });
    expect((await two.post('/api/scripts', { name: 'saved', code: '1' }, key())).status).toBe(409);
    const { revision } = (await two.get('/api/scripts/saved', key())).body;
    await two.put('/api/scripts/saved', { code: "'second'", revision }, key());
    expect(await one.put('/api/scripts/saved', { code: '3', revision }, key())).toMatchObject({
      status: 409,
      body: { error: { data: { reason: 'revision', revision: 2, current: { code: "'second'", revision: 2 } } } },
    });
    await waitFor(async () => (await run(one)) === 'second', { what: 'the changed script' });
    await one.delete('/api/scripts/saved', key());
    await waitFor(async () => (await two.post('/api/tools/saved/call', {}, key())).status === 404, {
      what: 'the end of the script',
    });
  });

  test('a tool definition that one replica accepts is accepted on the other', async () => {
    const [one, two] = replicas.all;
    const tool = '/api/tools/mcp_changing_target';
    const read = async (replica: typeof one) => (await replica.get(tool, key())).body;
    for (const replica of [one, two]) {
      await replica.post('/api/tools/mcp_changing_mutate/call', {}, key());
      await waitFor(async () => (await read(replica)).changed !== undefined, { what: 'the changed definition' });
    }
    const { definitionHash } = await read(one);
    await one.post(`${tool}/accept`, { definitionHash }, key());
    await waitFor(async () => (await read(two)).changed === undefined, { what: 'the accepted definition' });
  });

  test('a key that one replica revokes is rejected by the other, and its streams end', async () => {
    const [one, two] = replicas.all;
    const created = (await one.post('/api/keys', { name: 'k', rights: ['read'] }, key())).body;
    await using stream = await listenTo(two.url, { key: created.key });
    await stream.find('ready');
    await one.delete(`/api/keys/${created.id}`, key());
    await waitFor(() => stream.ended(), { what: 'the end of the stream' });
    expect((await two.get('/api/tools', { key: created.key })).status).toBe(401);
  });
});

describe('calls over REST', () => {
  test('calls over REST are cancelled from another replica', async () => {
    const [one, two] = replicas.all;
    const callId = crypto.randomUUID();
    const calling = one.post('/api/tools/mcp_s_sleep/call', { arguments: { ms: 600_000 }, callId }, key());
    await waitFor(async () => (await two.get(`/api/calls/${callId}`, key())).body.status === 'running', {
      what: 'the running call',
    });
    expect((await two.post(`/api/calls/${callId}/cancel`, undefined, key())).status).toBe(204);
    expect((await calling).status).toBe(499);
    expect((await two.post(`/api/calls/${callId}/cancel`, undefined, key())).status).toBe(409);
  });

  test('calls over REST have their questions listed and answered on another replica', async () => {
    const [one, two] = replicas.all;
    const calling = one.post('/api/tools/mcp_s_ask/call', { arguments: { question: 'Who?' } }, key());
    const question = await waitFor(async () => (await two.get('/api/questions', key())).body.questions[0], {
      what: 'the question',
    });
    const path = `/api/questions/${question.id}/answer`;
    const accepted = { action: 'accept', content: { answer: 'Ada' } };
    expect((await two.post(path, { action: 'accept', content: { answer: 5 } }, key())).status).toBe(400);
    expect((await two.post(path, accepted, key())).status).toBe(204);
    expect(JSON.stringify((await calling).body)).toContain('Ada');
    expect((await two.post(path, accepted, key())).status).toBe(404);
  });
});

describe('events', () => {
  test('events of all replicas are in one order, and a listener can reconnect to another replica', async () => {
    const [one, two] = replicas.all;
    const call = async (replica: typeof one, text: string) =>
      (await replica.post('/api/tools/mcp_s_echo/call', { arguments: { text } }, key())).body.callId;
    await using first = await listenTo(one.url, key());
    await first.find('ready');
    const here = await call(one, 'here');
    const there = await call(two, 'there');
    const end = (id: string) => (data: { id: string; status: string }) => data.id === id && data.status === 'success';
    await first.find('call.changed', end(here));
    const last = await first.find('call.changed', end(there));
    await first[Symbol.asyncDispose]();
    const missed = [await call(one, 'missed'), await call(two, 'missed too')];
    await using second = await listenTo(two.url, { ...key(), lastEventId: last.id });
    for (const id of missed) await second.find('call.changed', end(id));
    await second.find('ready');
    const seen = second.events.filter(({ name, data }) => name === 'call.changed' && missed.includes(data.id));
    for (const id of missed) {
      const statuses = seen.filter(({ data }) => data.id === id).map(({ data }) => data.status);
      expect(statuses).toEqual(['pending', 'running', 'success']);
    }
    const numberOf = ({ id }: { readonly id: string }) => Number(id.slice(6));
    // The first listener may get some of the later events before its connection is closed.
    const before = first.events.filter((event) => numberOf(event) <= numberOf(last));
    const numbers = [...before, ...second.events].filter(({ id }) => id !== '').map(numberOf);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test('events of an approval reach listeners of another replica', async () => {
    const [one, two] = replicas.all;
    await using source = await listenTo(two.url, key());
    await source.find('ready');
    const asking = one.post('/api/tools/mcp_s_add/call', { arguments: { a: 1, b: 2 } }, key());
    const { data } = await source.find('approval.asked');
    expect(data).toMatchObject({ tool: 'mcp_s_add', arguments: { a: 1, b: 2 } });
    await two.post(`/api/approvals/${data.id}/answer`, { answer: 'allow' }, key());
    expect((await asking).status).toBe(200);
    await source.find('approval.answered');
  });
});

test('a repeated call with an idempotency key waits for the first on another replica', async () => {
  const [one, two] = replicas.all;
  const idempotencyKey = crypto.randomUUID();
  const input = { arguments: { ms: 1_500 }, idempotencyKey };
  const first = one.post('/api/tools/mcp_s_sleep/call', input, key());
  await waitFor(async () => (await two.get('/api/calls?status=running', key())).body.calls.length > 0, {
    what: 'the running call',
  });
  const second = await two.post('/api/tools/mcp_s_sleep/call', input, key());
  expect(second.status).toBe(200);
  expect(second.body.content).toEqual((await first).body.content);
  const { body } = await two.get('/api/calls?tool=mcp_s_sleep&limit=100', key());
  const made = body.calls.filter(({ arguments: args }: { arguments: { ms?: number } }) => args.ms === 1_500);
  expect(made.filter(({ status }: { status: string }) => status === 'success')).toHaveLength(1);
});

test('a key whose call was not sent on one replica is used on another, and the call is made once [O10]', async () => {
  const [one, two] = replicas.all;
  const input = { arguments: { a: 3, b: 4 }, callId: crypto.randomUUID(), idempotencyKey: crypto.randomUUID() };
  const path = '/api/tools/mcp_s_add/call';
  const answerPending = async (answer: 'allow' | 'deny') => {
    const pending = await waitFor(
      async () => {
        const { body } = await two.get('/api/approvals?status=pending', key());
        return body.approvals.find((each: { arguments: { a?: number } }) => each.arguments.a === 3);
      },
      { what: 'the approval' },
    );
    await two.post(`/api/approvals/${pending.id}/answer`, { answer }, key());
  };
  const denied = one.post(path, input, key());
  await answerPending('deny');
  expect((await denied).body.error.code).toBe('CALL_DENIED');
  const repeated = [two.post(path, input, key()), one.post(path, input, key()), two.post(path, input, key())];
  await answerPending('allow');
  const made = await Promise.all(repeated);
  expect(made.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(made.map(({ body }) => body.callId)).size).toBe(1);
  expect((await one.post(path, input, key())).body.callId).toBe(made[0]?.body.callId);
});

test('the same call id on two replicas with different keys is one call', async () => {
  for (let round = 0; round < 5; round++) {
    const callId = crypto.randomUUID();
    const answers = await Promise.all(
      [...replicas.all, ...replicas.all].map((replica) =>
        replica.post(
          '/api/tools/mcp_s_echo/call',
          { arguments: { text: 'x' }, callId, idempotencyKey: crypto.randomUUID() },
          key(),
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  }
});

test('every replica lists all replicas', async () => {
  for (const replica of replicas.all) {
    const fleet = await waitFor(
      async () => {
        const { body } = await replica.get('/api/fleet', key());
        return body.replicas.every(({ version }: { version?: string }) => version !== undefined) && body;
      },
      { what: 'the description of all replicas' },
    );
    expect(fleet.shared).toBe(true);
    expect(fleet.replicas).toHaveLength(2);
    expect(fleet.replicas.filter(({ self }: { self: boolean }) => self)).toHaveLength(1);
    const configs = new Set(fleet.replicas.map(({ config }: { config: string }) => config));
    expect(configs.size).toBe(1);
  }
});

test('each replica reports the revision of the stored configuration that it has applied', async () => {
  const [one, two] = replicas.all;
  const before = (await one.get('/api/fleet', key())).body.revision;
  await two.post('/api/keys', { name: 'revision', rights: ['read'] }, key());
  const fleet = await waitFor(
    async () => {
      const { body } = await one.get('/api/fleet', key());
      const isCurrent = body.replicas.every(({ lag }: { lag?: number }) => lag === 0);
      return body.revision > before && isCurrent && body;
    },
    { what: 'the revision on all replicas' },
  );
  expect(fleet.replicas.map(({ revision }: { revision: number }) => revision)).toEqual([
    fleet.revision,
    fleet.revision,
  ]);
});

test('the metrics of each replica name the replica', async () => {
  const ids = await Promise.all(
    replicas.all.map(async (replica) => {
      const text = String((await replica.get('/metrics', key())).body);
      return /^toolwharf_configuration_revision\{replica="([^"]+)"\} \d+$/m.exec(text)?.[1];
    }),
  );
  const { body } = await replicas.all[0].get('/api/fleet', key());
  expect(ids.toSorted()).toEqual(body.replicas.map(({ id }: { id: string }) => id).toSorted());
});
