import { text as readText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createGatewayClient, sendRequest } from '../../packages/cli/core/client/gateway-client.ts';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { fixture } from '../support/fixtures.ts';
import { openTestGateway } from '../support/open-gateway.ts';

const signal = new AbortController().signal;
const source = { servers: { files: fixture('legacy') }, gateway: { requireAuthentication: true, host: '0.0.0.0' } };
const options = { listens: false, createRoutes, toolbox: { startWaitMs: 60_000 } } as const;

test('a gateway that does not listen serves the client of its process, and leaves out what serves only others', async () => {
  await using gateway = await openTestGateway(source, options);
  const client = createGatewayClient({ url: gateway.url, connect: gateway.connect, signal });
  expect((await client.listServers()).servers.map(({ name }) => name)).toEqual(['files']);
  const called = await client.callTool({ path: { tool: 'mcp_files_echo' }, body: { arguments: { text: 'here' } } });
  expect(called.text).toBe('here');
  await expect(client.getServer({ path: { server: 'none' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(fetch(gateway.url)).rejects.toThrow();
  const metrics = await sendRequest(`${gateway.url}/metrics`, { connect: gateway.connect });
  expect([metrics.statusCode, await readText(metrics)]).toMatchObject([404, expect.any(String)]);
});

test('a client that aborts inside the process ends its event stream, and closing the gateway ends the others', async () => {
  const gateway = await openTestGateway(source, options);
  const client = createGatewayClient({ url: gateway.url, connect: gateway.connect, signal });
  const aborted = new AbortController();
  const [first, second] = await Promise.all([
    client.listenToEvents({ signal: aborted.signal }),
    client.listenToEvents(),
  ]);
  const ends = [first, second].map(async (events) => {
    for await (const _ of events);
  });
  aborted.abort();
  await expect(ends[0]).rejects.toThrow();
  await gateway.close();
  await Promise.allSettled(ends);
  await expect(client.listServers()).rejects.toThrow('does not respond');
});

test('a gateway without anybody to answer denies calls that need approval, and asks no questions', async () => {
  const asking = { ...source, toolbox: { approval: { ask: ['*'] } } };
  await using gateway = await openTestGateway(asking, { ...options, isUnattended: true });
  const client = createGatewayClient({ url: gateway.url, connect: gateway.connect, signal });
  const call = client.callTool({ path: { tool: 'mcp_files_echo' }, body: { arguments: { text: 'here' } } });
  await expect(call).rejects.toMatchObject({ code: 'CALL_DENIED', message: expect.stringContaining('no approver') });
});
