import { expect, test } from 'vitest';
import type { ClientRequest } from './client-request.ts';
import { forwardedMeta } from './forwarded-meta.ts';
import { metaKey } from './rpc.ts';

function requestWith(changes: Partial<ClientRequest>): ClientRequest {
  return { era: 'modern', params: {}, capabilities: {}, logLevel: undefined, ...changes } as ClientRequest;
}

test("a server gets the client's own _meta, without the members meant for the gateway", () => {
  const _meta = {
    traceparent: '00-1-2-01',
    'example/own': { a: 1 },
    progressToken: 3,
    'toolwharf/idempotencyKey': 'k',
    [metaKey.version]: '2026-07-28',
    [metaKey.clientInfo]: { name: 'c' },
    [metaKey.clientCapabilities]: {},
    [metaKey.logLevel]: 'debug',
  };
  const own = { traceparent: '00-1-2-01', 'example/own': { a: 1 } };
  expect(forwardedMeta(requestWith({ params: { _meta } }), 'legacy')).toEqual(own);
  expect(forwardedMeta(requestWith({ params: { _meta }, logLevel: 'debug' }), 'modern')).toEqual({
    ...own,
    [metaKey.clientCapabilities]: {},
    [metaKey.logLevel]: 'debug',
  });
});

test("a modern server receives the client's capabilities except for tasks, which the gateway does not support", () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': {} };
  const capabilities = { elicitation: { form: {} }, tasks: {}, extensions };
  expect(forwardedMeta(requestWith({ capabilities }), 'modern')[metaKey.clientCapabilities]).toEqual({
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/ui': {} },
  });
  const only = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  expect(forwardedMeta(requestWith({ capabilities: only }), 'modern')[metaKey.clientCapabilities]).toEqual({});
});

test('a server receives the log level of a client, and a modern one info if a legacy client set none', () => {
  const level = (changes: Partial<ClientRequest>, era: 'legacy' | 'modern' = 'modern') =>
    forwardedMeta(requestWith(changes), era)[metaKey.logLevel];
  expect(level({ era: 'legacy', logLevel: 'error' })).toBe('error');
  expect(level({ era: 'legacy' })).toBe('info');
  expect(level({ era: 'modern' })).toBeUndefined();
  expect(level({ era: 'modern', logLevel: 'debug' }, 'legacy')).toBe('debug');
  expect(level({ era: 'legacy' }, 'legacy')).toBeUndefined();
});
