import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { fixture } from './support/fixtures.ts';
import { connectClient, openTestGateway } from './support/open-gateway.ts';

test('a call is a span in its caller’s trace, and the server is told which', async () => {
  const bodies: string[] = [];
  const collector = createServer(async (request, response) => {
    for await (const part of request) bodies.push(String(part));
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const tracesUrl = `http://127.0.0.1:${port}/v1/traces`;
  {
    await using gateway = await openTestGateway({ servers: { m: fixture('modern') }, gateway: { tracesUrl } });
    await using client = await connectClient(`${gateway.url}/mcp`);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await client.client.callTool({ name: 'm__client', arguments: {}, _meta: { traceparent } });
    const told = JSON.stringify(result.content);
    expect(told).toContain('00-0af7651916cd43dd8448eb211c80319c-');
    expect(told).not.toContain('b7ad6b7169203331');
  }
  expect(bodies.join('')).toContain('"parentSpanId":"b7ad6b7169203331"');
  expect(bodies.join('')).toContain('mcp.tool');
  collector.closeAllConnections();
  collector.close();
});
