import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRoutes } from '../../../src/gateway/api/all-routes.ts';
import { createApiRoutes } from '../../../src/gateway/api/create-routes.ts';
import { toOpenApi } from '../../../src/gateway/api/openapi.ts';
import { createAuthenticate } from '../../../src/gateway/auth/authenticate.ts';
import { generateApiTypes } from '../../../web/generate-api-types.ts';
import { createApi } from '../../../web/src/api/client.ts';
import { fixture } from '../../support/fixtures.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

test("the app's API types match the gateway's routes; if not, run: npm run api-client", async () => {
  const committed = readFileSync(new URL('../../../web/src/api/openapi.d.ts', import.meta.url), 'utf8');
  expect(committed).toBe(await generateApiTypes(toOpenApi(allRoutes)));
});

test('each function of the client calls the route with the same operation id', async () => {
  const requests: string[] = [];
  const api = createApi({
    baseUrl: 'http://gateway.test',
    fetch: async ({ method, url }) => {
      requests.push(`${method} ${decodeURIComponent(new URL(url).pathname)}`);
      return Response.json({});
    },
  });
  const routes = new Map(allRoutes.map((route) => [route.operationId, route]));
  for (const [operation, call] of Object.entries(api)) {
    const { method, path } = routes.get(operation) ?? expect.fail(`The gateway has no operation ${operation}`);
    const parameters = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([all, name]) => [name, all]));
    await (call as (input: object) => Promise<unknown>)({ path: parameters });
    expect(requests.pop()).toBe(`${method.toUpperCase()} ${path}`);
  }
});

test('the client calls a running gateway, and its errors carry the code and the status', async () => {
  await using gateway = await openTestGateway(
    { servers: { s: fixture('legacy') } },
    { createAuthenticate, createRoutes: createApiRoutes },
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
