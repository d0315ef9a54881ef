import { expect, test } from 'vitest';
import { createClient } from '../../../packages/contract/client.ts';
import { type ApiRoutes, operations } from '../../../packages/contract/operations.ts';
import { apiRoutes } from '../../../packages/contract/routes/api-routes.ts';
import { createAuthenticate } from '../../../packages/gateway/core/auth/authenticate.ts';
import { createRoutes } from '../../../packages/gateway/core/rest/create-routes.ts';
import { createApi } from '../../../packages/web/src/api/client.ts';
import { fixture } from '../../support/fixtures.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

const baseUrl = 'http://gateway.test';

test('the client has one function for each operation, which sends its method and path', async () => {
  const requests: string[] = [];
  const client = createClient<ApiRoutes>(operations, {
    baseUrl,
    fetch: async ({ method, url }) => {
      requests.push(`${method} ${decodeURIComponent(new URL(url).pathname)}`);
      return Response.json({});
    },
  });
  expect(Object.keys(client)).toEqual(Object.keys(apiRoutes));
  for (const [operation, call] of Object.entries(client)) {
    const { method, path } = apiRoutes[operation as keyof typeof apiRoutes];
    const parameters = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([all, name]) => [name, all]));
    await (call as (input: object) => Promise<unknown>)({ path: parameters });
    expect(requests.pop()).toBe(`${method.toUpperCase()} ${path}`);
  }
});

test('a request carries escaped parameters, the query without absent members, the body as JSON, headers and the signal', async () => {
  const requests: Request[] = [];
  const client = createClient<ApiRoutes>(operations, {
    baseUrl,
    headers: { 'x-toolwharf': 'test' },
    fetch: async (request) => {
      requests.push(request);
      return Response.json({});
    },
  });
  const stop = new AbortController();
  await client.callTool({ path: { tool: 'a/b {tool}?' }, body: { arguments: { a: 1 } }, signal: stop.signal });
  await client.listCalls({ query: { search: 'a&b=c', limit: 5, before: undefined } });
  const [call, list] = requests;
  expect(call?.url).toBe(`${baseUrl}/api/tools/a%2Fb%20%7Btool%7D%3F/call`);
  expect(Object.fromEntries(call?.headers ?? [])).toEqual({
    'content-type': 'application/json',
    'x-toolwharf': 'test',
  });
  expect(await call?.json()).toEqual({ arguments: { a: 1 } });
  stop.abort();
  expect(call?.signal.aborted).toBe(true);
  expect(list?.url).toBe(`${baseUrl}/api/calls?search=a%26b%3Dc&limit=5`);
  expect(Object.fromEntries(list?.headers ?? [])).toEqual({ 'x-toolwharf': 'test' });
});

test('the client returns the text of a file and the open response of a stream', async () => {
  const answers = [
    new Response('{"a":1}', { headers: { 'content-type': 'application/json', 'content-disposition': 'attachment' } }),
    new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
    new Response(null, { status: 204 }),
  ];
  const client = createClient<ApiRoutes>(operations, {
    baseUrl,
    fetch: async () => answers.shift() as Response,
  });
  const conversation = '2d8a51a6-43c6-4d2b-9d2c-8f1f0c1f4c0a';
  expect(await client.exportConversation({ path: { conversation } })).toBe('{"a":1}');
  expect(await (await client.listenToEvents()).text()).toBe('data: {}\n\n');
  expect(await client.removeProfile({ path: { profile: 'p' } })).toBeUndefined();
});

test('an error response that is not of the gateway has the status of HTTP', async () => {
  for (const body of ['<html>Bad gateway</html>', 'null', '[]', '{"error":"down"}']) {
    const fetch = async () => new Response(body, { status: 502, statusText: 'Bad Gateway' });
    const client = createClient<ApiRoutes>(operations, { baseUrl, fetch });
    await expect(client.listServers()).rejects.toMatchObject({
      name: 'ApiError',
      status: 502,
      code: 'INTERNAL',
      message: 'Bad Gateway',
    });
  }
});

test('the client calls a running gateway, and its errors carry the code and the status', async () => {
  await using gateway = await openTestGateway(
    { servers: { s: fixture('legacy') } },
    { createAuthenticate, createRoutes },
  );
  const api = createApi({ baseUrl: gateway.url });
  const { servers } = await api.listServers();
  expect(servers.map((server) => server.name)).toEqual(['s']);
  const { tools } = await api.listTools({ query: { server: 's' } });
  expect(tools.map((tool) => tool.name)).toContain('mcp_s_add');
  const result = await api.callTool({ path: { tool: 'mcp_s_add' }, body: { arguments: { a: 1, b: 2 } } });
  expect(result).toMatchObject({ text: '3', isError: false });
  await expect(api.getServer({ path: { server: 'nobody' } })).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
});
