import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { collectLog, fixture, tempDir } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';
import { type ApiAnswer, petsDocument, sendJson, serveHttpApi } from '../support/serve-http-api.ts';
import { openToolbox } from '../support/toolbox.ts';
import { waitFor } from '../support/wait-for.ts';

const greet = {
  name: 'greet',
  description: 'Greets a person',
  method: 'POST',
  path: '/people/{who}/greetings',
  query: ['loud'],
  input: {
    type: 'object',
    properties: { who: { type: 'string' }, loud: { type: 'boolean' }, text: { type: 'string' } },
    required: ['who'],
  },
} as const;

/** An endpoint with a fixed response. */
async function callAnswered(answer: ApiAnswer) {
  await using api = await serveHttpApi({ answer });
  await using toolbox = await openToolbox({
    servers: { a: { url: `${api.url}/v1`, endpoints: [{ name: 'go', path: '/go', method: 'POST' }] } },
  });
  const result = await toolbox.call('mcp_a_go', {});
  return { result, requests: api.requests };
}

describe('an HTTP API', () => {
  test('an HTTP API offers its operations and its configured endpoints as tools [R21, A1]', async () => {
    await using api = await serveHttpApi({ document: petsDocument });
    const { log, entries } = collectLog();
    await using toolbox = await openToolbox(
      {
        servers: {
          pets: {
            url: `${api.url}/v1`,
            openapi: `${api.url}/openapi.json`,
            endpoints: [{ ...greet, query: [...greet.query] }],
            authentication: { type: 'bearer', token: 'of-the-pets' },
            headers: { 'X-Team': 'blue' },
          },
        },
      },
      { log },
    );
    expect(toolbox.tools.map(({ name, description }) => [name, description])).toEqual([
      ['mcp_pets_getPet', 'One pet'],
      ['mcp_pets_addPet', 'Adds a pet.'],
      ['mcp_pets_greet', 'Greets a person'],
    ]);
    expect(toolbox.servers.status('pets')).toMatchObject({
      state: 'connected',
      transport: 'api',
      serverInfo: { name: 'Pets' },
    });
    expect(toolbox.servers.status('pets')).not.toHaveProperty('era');
    expect(entries.find(({ event }) => event === 'api.operations-skipped')).toMatchObject({
      level: 'info',
      message: expect.stringContaining('addPhoto (its body must be image/png)'),
    });

    expect((await toolbox.call('mcp_pets_getPet', { id: 3, fields: ['a', 'b c'] })).text).toBe(
      '{"method":"GET","path":"/v1/pets/3?fields=a,b%20c"}',
    );
    expect((await toolbox.call('mcp_pets_addPet', { body: { name: null } })).text).toBe(
      '{"method":"POST","path":"/v1/pets","body":{"name":null}}',
    );
    expect((await toolbox.call('mcp_pets_greet', { who: 'Ada', loud: true, text: 'hi' })).text).toBe(
      '{"method":"POST","path":"/v1/people/Ada/greetings?loud=true","body":{"text":"hi"}}',
    );
    for (const { headers } of api.requests)
      expect(headers).toMatchObject({ authorization: 'Bearer of-the-pets', 'x-team': 'blue' });
    const sent = api.requests.length;
    expect(await toolbox.call('mcp_pets_getPet', { id: 'three' })).toMatchObject({
      isError: true,
      failure: { code: 'ARGUMENTS_INVALID' },
    });
    expect((await toolbox.call('mcp_pets_greet', { who: '..' })).text).toContain("must not contain '.' or '..'");
    expect(api.requests).toHaveLength(sent);
  });

  test('an HTTP API made from the OpenAPI document of the gateway has working tools', async () => {
    await using gateway = await startApi({ servers: { notes: fixture('legacy') } });
    await using toolbox = await openToolbox({
      servers: {
        wharf: {
          url: gateway.url,
          openapi: `${gateway.url}/api/openapi.json`,
          authentication: { type: 'bearer', token: gateway.adminToken },
        },
      },
    });
    const listed = await toolbox.call('mcp_wharf_listServers', {});
    expect(JSON.parse(listed.text).servers).toMatchObject([{ name: 'notes' }]);
    const called = await toolbox.call('mcp_wharf_callTool', {
      tool: 'mcp_notes_echo',
      body: { arguments: { text: 'through both' } },
    });
    expect(JSON.parse(called.text)).toMatchObject({ text: 'through both' });
  });

  test('an HTTP API is served to MCP clients like any other server', async () => {
    await using api = await serveHttpApi({ document: petsDocument });
    await using gateway = await openTestGateway({
      servers: { pets: { url: api.url, openapi: `${api.url}/openapi.json` } },
    });
    await using client = await connectClient(`${gateway.url}/mcp`);
    expect(await client.names()).toContain('pets__getPet');
    expect(await client.text('pets__getPet', { id: 1 })).toContain('/pets/1');
  });

  test('an HTTP API can have a YAML file as its OpenAPI document', async () => {
    await using api = await serveHttpApi();
    await using dir = await tempDir();
    const file = join(dir.path, 'pets.yaml');
    await writeFile(file, 'openapi: 3.1.0\npaths:\n  /now:\n    get:\n      operationId: now\n');
    await using toolbox = await openToolbox({ servers: { a: { url: api.url, openapi: file } } });
    expect((await toolbox.call('mcp_a_now', {})).text).toBe('{"method":"GET","path":"/now"}');
  });
});

describe('the response of an HTTP API', () => {
  test.each<[string, ApiAnswer, string]>([
    ['404', (_, to) => sendJson(to, { why: 'none' }, 404), 'The API answered 404 Not Found\n{"why":"none"}'],
    ['401', (_, to) => to.writeHead(401).end(), 'may be missing or wrong'],
    ['429', (_, to) => to.writeHead(429, { 'retry-after': '7' }).end(), 'Too Many Requests: try again after 7'],
    [
      '302',
      (_, to) => to.writeHead(302, { location: '/v2/go?a=secret' }).end(),
      '/v2/go, and redirects are not followed',
    ],
  ])(
    'the response of an HTTP API with an error status becomes an error that a model can read: %s [A7, R21]',
    async (_, answer, text) => {
      const { result, requests } = await callAnswered(answer);
      // The error is the result of the tool, not a failure of Toolwharf.
      expect(result).toMatchObject({ isError: true });
      expect(result).not.toHaveProperty('failure');
      expect(result.text).toContain(text);
      expect(result.text).not.toContain('secret');
      expect(requests).toHaveLength(1);
    },
  );

  test.each<[string, ApiAnswer, object]>([
    [
      'text',
      (_, to) => to.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
      { type: 'text', text: 'hello' },
    ],
    [
      'a text that describes an empty body',
      (_, to) => to.writeHead(204).end(),
      { type: 'text', text: 'The API answered 204 No Content without a body' },
    ],
    [
      'an image',
      (_, to) => to.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2])),
      { type: 'image', mimeType: 'image/png', data: 'AQI=' },
    ],
    [
      'an embedded resource',
      (_, to) => to.writeHead(200, { 'content-type': 'application/zip' }).end(Buffer.from([1, 2])),
      {
        type: 'resource',
        resource: { mimeType: 'application/zip', blob: 'AQI=', uri: expect.stringMatching(/\/v1\/go$/) },
      },
    ],
  ])('the response of an HTTP API becomes %s', async (_, answer, block) => {
    const { result } = await callAnswered(answer);
    expect(result).toMatchObject({ isError: false, content: [block] });
  });

  test('the response of an HTTP API that breaks off leaves the outcome unknown, and nothing is sent twice [A8]', async () => {
    const { result, requests } = await callAnswered((_, to) => void to.destroy());
    expect(result).toMatchObject({ isError: true, failure: { code: 'OUTCOME_UNKNOWN' } });
    expect(requests).toHaveLength(1);
  });

  test('the response of an HTTP API is awaited until the timeout of the tool [R20]', async () => {
    const ended = Promise.withResolvers<void>();
    await using api = await serveHttpApi({ answer: (_, to) => void once(to, 'close').then(() => ended.resolve()) });
    await using toolbox = await openToolbox({
      servers: {
        a: { url: api.url, endpoints: [{ name: 'go', path: '/go' }], defaultToolConfig: { timeout: 200 } },
      },
    });
    expect((await toolbox.call('mcp_a_go', {})).failure?.code).toBe('CALL_TIMED_OUT');
    await ended.promise;
  });

  test('the response of an HTTP API is no longer awaited after the call is cancelled', async () => {
    const [received, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using api = await serveHttpApi({
      answer: (_, to) => {
        received.resolve();
        void once(to, 'close').then(() => ended.resolve());
      },
    });
    await using toolbox = await openToolbox({
      servers: { a: { url: api.url, endpoints: [{ name: 'go', path: '/go' }] } },
    });
    const stop = new AbortController();
    const call = toolbox.call('mcp_a_go', {}, { signal: stop.signal });
    await received.promise;
    stop.abort();
    expect((await call).failure?.code).toBe('CALL_CANCELLED');
    await ended.promise;
  });
});

describe('a broken HTTP API', () => {
  test('a broken HTTP API is reported with its reason, and the other servers work [A6]', async () => {
    await using away = await serveHttpApi();
    await away[Symbol.asyncDispose]();
    await using dir = await tempDir();
    const broken = join(dir.path, 'broken.yaml');
    await writeFile(broken, 'openapi: 3.1.0\npaths: [\n');
    await using documents = await serveHttpApi({
      answer: ({ path }, to) => {
        if (path.startsWith('/missing')) to.writeHead(404).end();
        else if (path === '/cut') to.writeHead(200).end('{"openapi":');
        else sendJson(to, { hello: 'world' });
      },
    });
    const { url } = documents;
    await using toolbox = await openToolbox({
      servers: {
        away: { url: away.url, endpoints: [{ name: 'go', path: '/go' }] },
        missing: { url, openapi: `${url}/missing?token=secret` },
        cut: { url, openapi: `${url}/cut` },
        other: { url, openapi: `${url}/other` },
        broken: { url, openapi: broken },
        nowhere: { url, openapi: join(dir.path, 'none.json') },
        good: { url, endpoints: [{ name: 'go', path: '/go' }] },
      },
    });
    // A server has no reason while the toolbox tries to connect it again.
    const reasonOf = (name: string) => waitFor(() => toolbox.servers.status(name)?.reason, { what: name });
    const failed = ['away', 'missing', 'cut', 'other', 'broken', 'nowhere'];
    const reasons = await Promise.all(failed.map(async (name) => [name, await reasonOf(name)] as const));
    expect(Object.fromEntries(reasons)).toEqual({
      away: expect.stringContaining('ECONNREFUSED'),
      missing: expect.stringContaining(`The OpenAPI document at ${url}/missing?… cannot be fetched: HTTP 404`),
      cut: expect.stringContaining('/cut cannot be used: '),
      other: expect.stringContaining("/other cannot be used: it has no 'openapi' version"),
      broken: expect.stringContaining('broken.yaml cannot be used: line '),
      nowhere: expect.stringContaining('The OpenAPI document cannot be read: ENOENT'),
    });
    expect((await toolbox.call('mcp_good_go', {})).text).toBe('{"hello":"world"}');
  });

  test('an unreachable HTTP API is detected without a call', async () => {
    const api = await serveHttpApi();
    await using toolbox = await openToolbox(
      { servers: { a: { url: api.url, endpoints: [{ name: 'go', path: '/go' }] } } },
      { healthMs: 20 },
    );
    expect(toolbox.servers.status('a')?.state).toBe('connected');
    await api[Symbol.asyncDispose]();
    await waitFor(() => toolbox.servers.status('a')?.state === 'error');
    expect(toolbox.servers.status('a')?.reason).toContain('ECONNREFUSED');
  });

  test('a broken HTTP API reconnects when it responds again [A8]', async () => {
    const first = await serveHttpApi();
    const port = Number(new URL(first.url).port);
    await using toolbox = await openToolbox({
      servers: { a: { url: first.url, endpoints: [{ name: 'go', path: '/go' }] } },
    });
    await first[Symbol.asyncDispose]();
    expect((await toolbox.call('mcp_a_go', {})).isError).toBe(true);
    await waitFor(() => toolbox.servers.status('a')?.state === 'error');
    await using _again = await serveHttpApi({ port });
    await waitFor(async () => !(await toolbox.call('mcp_a_go', {})).isError);
  });

  test('an HTTP API receives its credentials only at its own URL [R3, R17]', async () => {
    await using documents = await serveHttpApi({ document: petsDocument });
    await using api = await serveHttpApi();
    await using toolbox = await openToolbox({
      servers: {
        pets: {
          url: api.url,
          openapi: `${documents.url}/openapi.json`,
          authentication: { type: 'api-key', key: 'only-for-the-api' },
        },
      },
    });
    await toolbox.call('mcp_pets_getPet', { id: 1 });
    expect(documents.requests.map(({ headers }) => headers['x-api-key'])).toEqual([undefined]);
    expect(api.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['only-for-the-api']);
  });
});
