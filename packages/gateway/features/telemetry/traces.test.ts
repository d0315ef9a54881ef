import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { collectLog } from '../../../../test/support/fixtures.ts';
import { noTraces } from '../../core/calls/traces.ts';
import { createTraces } from './traces.ts';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
}

async function startCollector(status = 200) {
  const spans: SentSpan[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as {
      resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
    };
    spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('a span continues its caller’s trace or starts a new one, and is exported when it ends', async () => {
  await using collector = await startCollector();
  const traces = createTraces({ url: collector.url, log: collectLog().log });
  const child = traces.start('server', 'tools/call echo', parent, { 'gen_ai.tool.name': 'echo' });
  child.end({ isError: false });
  const root = traces.start('server', 'tools/call fail', 'nonsense', {});
  root.end({ isError: true, message: 'it failed' });
  await traces.close();
  expect(collector.spans).toMatchObject([
    {
      name: 'tools/call echo',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      status: { code: 1 },
    },
    { name: 'tools/call fail', status: { code: 2 } },
  ]);
  const [first, second] = collector.spans;
  expect(child.traceparent).toBe(`00-0af7651916cd43dd8448eb211c80319c-${first?.spanId}-01`);
  expect(second?.parentSpanId).toBeUndefined();
  expect(BigInt(first?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(first?.startTimeUnixNano ?? 0));
});

test('the context of an unsampled trace is passed on, but its spans are not exported', async () => {
  await using collector = await startCollector();
  const traces = createTraces({ url: collector.url, log: collectLog().log });
  const span = traces.start('server', 'x', parent.replace(/01$/, '00'), {});
  span.end({ isError: false });
  await traces.close();
  expect(span.traceparent).toMatch(/-00$/);
  expect(collector.spans).toEqual([]);
});

test('an unreachable or failing collector only causes a warning', async () => {
  await using collector = await startCollector(500);
  for (const url of [collector.url, 'http://127.0.0.1:9/v1/traces']) {
    const { log, entries } = collectLog();
    const traces = createTraces({ url, log });
    traces.start('server', 'x', undefined, {}).end({ isError: false });
    await traces.close();
    expect(entries.map((entry) => entry.event)).toEqual(['traces.failed']);
  }
});

test('spans beyond the buffer limit are dropped and counted', async () => {
  await using collector = await startCollector();
  const { log, entries } = collectLog();
  const traces = createTraces({ url: collector.url, log, maxBuffered: 2 });
  for (let index = 0; index < 5; index++) traces.start('server', 'x', undefined, {}).end({ isError: false });
  await traces.close();
  expect(collector.spans).toHaveLength(2);
  expect(entries.map((entry) => entry.message)).toEqual(['Dropped 3 spans: the collector is too slow']);
});

test('without a collector the caller’s trace context is passed on unchanged', async () => {
  expect(noTraces.start('server', 'x', parent, {}).traceparent).toBe(parent);
  expect(noTraces.start('server', 'x', undefined, {}).traceparent).toBeUndefined();
  noTraces.start('server', 'x', parent, {}).end({ isError: false });
  await noTraces.close();
});
