import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createRoutes } from '../../packages/gateway/core/rest/create-routes.ts';
import { connectAgent, toCall } from '../support/a2a.ts';
import { fixture } from '../support/fixtures.ts';
import { connectClient, openTestGateway } from '../support/open-gateway.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

interface SentSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, string>>;
}

/** Runs a gateway with a collector; returns the spans that it sent. */
async function collectSpans(run: (url: string) => Promise<void>, gateway: object = {}): Promise<readonly SentSpan[]> {
  const spans: SentSpan[] = [];
  const collector = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    for (const resource of JSON.parse(body).resourceSpans)
      for (const scope of resource.scopeSpans)
        for (const span of scope.spans) {
          const attributes = span.attributes.map(
            ({ key, value }: { key: string; value: { stringValue: string } }) => [key, value.stringValue] as const,
          );
          spans.push({ ...span, attributes: Object.fromEntries(attributes) });
        }
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  {
    await using opened = await openTestGateway(
      {
        servers: { m: fixture('modern'), l: fixture('legacy') },
        gateway: { tracesUrl: `http://127.0.0.1:${port}/v1/traces`, ...gateway },
      },
      { createRoutes },
    );
    await run(opened.url);
  }
  collector.closeAllConnections();
  collector.close();
  return spans;
}

test.each(['legacy', 'auto'] as const)(
  'a call of a client of the era %s is a SERVER span in its trace, with a CLIENT span for the server, which gets the context',
  async (era) => {
    let text = '';
    const spans = await collectSpans(async (url) => {
      await using client = await connectClient(`${url}/mcp`, { era });
      const params = { name: 'm__client', arguments: {}, _meta: { traceparent } };
      text = JSON.stringify(await client.client.callTool(params));
    });
    const server = spans.find(({ name }) => name === 'tools/call m__client');
    const client = spans.find(({ name }) => name === 'tools/call client');
    expect(server).toMatchObject({
      kind: 2,
      traceId,
      parentSpanId: 'b7ad6b7169203331',
      status: { code: 1 },
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'm__client',
        'gen_ai.operation.name': 'execute_tool',
        'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
        'mcp.protocol.version': expect.stringMatching(/^20\d\d-/),
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
      },
    });
    expect(server?.attributes['mcp.session.id'] !== undefined).toBe(era === 'legacy');
    expect(client).toMatchObject({
      kind: 3,
      traceId,
      parentSpanId: server?.spanId,
      attributes: {
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'client',
        'network.transport': 'pipe',
        'toolwharf.server': 'm',
      },
    });
    expect(text).toContain(`00-${traceId}-${client?.spanId}-01`);
    for (const { attributes } of spans)
      expect(Object.keys(attributes).filter((key) => /arguments|result/.test(key))).toEqual([]);
  },
);

test('failures of tools and of the protocol have their error types, and a call that was never sent has no CLIENT span', async () => {
  const spans = await collectSpans(async (url) => {
    await using client = await connectClient(`${url}/mcp`);
    await client.client.callTool({ name: 'l__fail', arguments: {} });
    await client.client.callTool({ name: 'l__add', arguments: { a: 'x' } });
    await client.client.callTool({ name: 'no__tool', arguments: {} }).catch(() => {});
  });
  const named = (name: string) => spans.filter((span) => span.name === name);
  for (const name of ['tools/call l__fail', 'tools/call fail'])
    expect(named(name)).toMatchObject([{ status: { code: 2 }, attributes: { 'error.type': 'tool_error' } }]);
  expect(named('tools/call l__add')).toMatchObject([{ status: { code: 2 } }]);
  expect(named('tools/call add')).toEqual([]);
  expect(named('tools/call no__tool')).toMatchObject([
    { status: { code: 2 }, attributes: { 'error.type': '-32602', 'rpc.response.status_code': '-32602' } },
  ]);
});

test('spans have the arguments and results of calls only where the operator wants it', async () => {
  const spans = await collectSpans(
    async (url) => {
      await using client = await connectClient(`${url}/mcp`);
      await client.text('l__echo', { text: 'hello' });
    },
    { tracesContent: true },
  );
  const call = spans.find(({ name }) => name === 'tools/call echo');
  expect(call?.attributes['gen_ai.tool.call.arguments']).toBe('{"text":"hello"}');
  expect(call?.attributes['gen_ai.tool.call.result']).toContain('hello');
});

test('a call over A2A is a span in the trace of its caller, and the server receives the trace context', async () => {
  let text = '';
  const spans = await collectSpans(async (url) => {
    const client = await connectAgent(url);
    const message = client.sendMessage(toCall('m__client', {}), { serviceParameters: { traceparent } });
    text = JSON.stringify(await message);
  });
  const server = spans.find(({ name }) => name.startsWith('a2a '));
  expect(server).toMatchObject({ kind: 2, traceId, parentSpanId: 'b7ad6b7169203331' });
  const client = spans.find(({ name }) => name === 'tools/call client');
  expect(client).toMatchObject({ kind: 3, parentSpanId: server?.spanId });
  expect(text).toContain(`00-${traceId}-${client?.spanId}-01`);
});
