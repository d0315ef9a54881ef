import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { connectAgent, toCall } from '../support/a2a.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The result of a call within this trace. */
const protocols = {
  async MCP(url: string): Promise<object> {
    await using client = await connectClient(`${url}/mcp`);
    return await client.client.callTool({ name: 'm__client', arguments: {}, _meta: { traceparent } });
  },
  async A2A(url: string): Promise<object> {
    const client = await connectAgent(url);
    return client.sendMessage(toCall('m__client', {}), { serviceParameters: { traceparent } });
  },
};

test.each(['MCP', 'A2A'] as const)(
  'a call over %s is a span in the trace of its caller, and the server receives the trace context',
  async (protocol) => {
    const bodies: string[] = [];
    const collector = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
      for await (const part of request) bodies.push(String(part));
      response.end('{}');
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    const tracesUrl = `http://127.0.0.1:${port}/v1/traces`;
    {
      await using gateway = await openTestGateway(
        { servers: { m: fixture('modern') }, gateway: { tracesUrl } },
        { createRoutes },
      );
      const result = JSON.stringify(await protocols[protocol](gateway.url));
      expect(result).toContain('00-0af7651916cd43dd8448eb211c80319c-');
      expect(result).not.toContain('b7ad6b7169203331');
    }
    expect(bodies.join('')).toContain('"parentSpanId":"b7ad6b7169203331"');
    expect(bodies.join('')).toContain('mcp.tool');
    collector.closeAllConnections();
    collector.close();
  },
);
