import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../packages/contract/json.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { fixture } from '../support/fixtures.ts';
import { initializeParams } from '../support/raw-mcp.ts';
import { patienceMs } from '../support/wait-for.ts';
import { json, mutated, parameters } from './arbitraries.ts';
import { rpcHeaders } from './raw-http.ts';

describe('the JSON-RPC layer', () => {
  let api: TestApi;
  let session: string;
  const agent = new Agent({ keepAlive: true });
  beforeAll(async () => {
    api = await startApi({ servers: { files: fixture('legacy') } });
    await api.toolbox.servers.connect('files');
    const opened = await ask(
      {},
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: initializeParams }),
    );
    session = String(opened.session);
  });
  afterAll(async () => {
    agent.destroy();
    await api.close();
  });

  interface Heard {
    readonly status: number;
    readonly session: string | undefined;
    /** Undefined for an event stream, which is not read. */
    readonly text: string | undefined;
  }

  function ask(headers: Readonly<Record<string, string>>, body: string): Promise<Heard> {
    const { hostname, port } = new URL(api.url);
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: hostname, port, path: '/mcp', method: 'POST', agent, headers: { ...rpcHeaders, ...headers } },
        (response) => {
          const status = response.statusCode ?? 0;
          const id = response.headers['mcp-session-id'];
          const own = typeof id === 'string' ? id : undefined;
          if (response.headers['content-type']?.startsWith('text/event-stream')) {
            response.destroy();
            return resolve({ status, session: own, text: undefined });
          }
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => resolve({ status, session: own, text: Buffer.concat(parts).toString('utf8') }));
          response.on('error', reject);
        },
      );
      sent.setTimeout(patienceMs, () => sent.destroy(new Error('There was no answer')));
      sent.on('error', reject).end(body);
    });
  }

  const methods = [
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'resources/templates/list',
    'resources/subscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'server/discover',
    'subscriptions/listen',
    '__proto__',
    'constructor',
    'toString',
  ];
  const meta = fc.oneof(
    json,
    fc.constant({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }),
    fc.record(
      {
        'io.modelcontextprotocol/protocolVersion': json,
        'io.modelcontextprotocol/clientCapabilities': json,
        progressToken: json,
      },
      { requiredKeys: [] },
    ),
  );
  const params = fc.oneof(
    json,
    fc.record(
      {
        name: fc.oneof(fc.constantFrom('files__echo', 'files__add', 'greet', '__proto__'), json),
        arguments: json,
        uri: fc.oneof(fc.constantFrom('memo://one', 'memo://{name}', 'file:///etc/passwd'), json),
        cursor: json,
        level: json,
        requestId: json,
        protocolVersion: fc.oneof(fc.constantFrom('2025-11-25', '2024-11-05', '1900-01-01'), json),
        capabilities: json,
        clientInfo: json,
        ref: json,
        argument: json,
        requestState: json,
        inputResponses: json,
        _meta: meta,
      },
      { requiredKeys: [] },
    ),
  );
  const message = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record(
        {
          jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
          id: fc.oneof(fc.integer(), fc.string(), json),
          method: fc.oneof(fc.constantFrom(...methods), fc.string()),
          params,
          result: json,
          error: json,
        },
        { requiredKeys: ['jsonrpc'] },
      ),
    },
    { weight: 1, arbitrary: json },
    { weight: 1, arbitrary: fc.array(json, { maxLength: 3 }) },
  );
  const body = fc.oneof(
    { weight: 5, arbitrary: message.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    {
      weight: 2,
      arbitrary: mutated([
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'files__echo', arguments: { text: 'x' } },
        }),
      ]),
    },
  );

  test.each(['legacy', 'modern', 'neither'] as const)(
    'any message in the %s era gets a result, an error or an HTTP status, and the gateway keeps serving',
    async (era) => {
      const headersOf = (name: string, method: string): Record<string, string> => {
        if (era === 'legacy') return { 'mcp-session-id': session };
        return era === 'modern' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name } : {};
      };
      await fc.assert(
        fc.asyncProperty(
          body,
          fc.constantFrom('files__echo', 'files__add'),
          fc.constantFrom(...methods),
          async (sent, name, method) => {
            const { status, text } = await ask(headersOf(name, method), sent);
            expect([200, 202, 400, 404, 405, 406, 413, 415]).toContain(status);
            if (text === undefined || text === '') return;
            const answer = JSON.parse(text) as JsonObject;
            expect(answer.jsonrpc).toBe('2.0');
            expect('result' in answer !== 'error' in answer).toBe(true);
            const { error } = answer as { error?: { code?: unknown; message?: unknown } };
            if (error) expect([typeof error.code, typeof error.message]).toEqual(['number', 'string']);
          },
        ),
        parameters,
      );
      const alive = await ask(
        { 'mcp-session-id': session },
        JSON.stringify({
          jsonrpc: '2.0',
          id: 7,
          method: 'tools/call',
          params: { name: 'files__echo', arguments: { text: 'alive' } },
        }),
      );
      expect(alive.text ?? 'stream').toMatch(/alive|stream/);
      expect(api.log.filter(({ event }) => event === 'mcp.failed' || event === 'gateway.failed')).toEqual([]);
    },
  );
});
