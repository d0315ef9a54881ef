import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRoutes } from '../../../src/gateway/api/all-routes.ts';
import { createApiRoutes } from '../../../src/gateway/api/create-routes.ts';
import { toOpenApi } from '../../../src/gateway/api/openapi.ts';
import { toTypedClient } from '../../../src/gateway/api/typed-client.ts';
import { createAuthenticate } from '../../../src/gateway/auth/authenticate.ts';
import { createApi } from '../../../web/src/api/client.ts';
import { fixture } from '../../support/fixtures.ts';
import { openTestGateway } from '../../support/open-gateway.ts';

test('the typed client is what the routes make of it; if not, run: npm run api-client', () => {
  const written = readFileSync(new URL('../../../web/src/api/client.ts', import.meta.url), 'utf8');
  expect(written).toBe(toTypedClient(toOpenApi(allRoutes)));
});

test('it has every operation but the event stream', () => {
  const operations = allRoutes.filter((route) => !route.streams).map((route) => route.operationId);
  expect(Object.keys(createApi()).sort()).toEqual(operations.sort());
});

test('it talks to a gateway, and its errors carry the code and the status', async () => {
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
