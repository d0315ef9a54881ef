import { expect, test } from 'vitest';
import { checkHeaders, checkParamHeaders } from './modern-headers.ts';
import { metaKey } from './rpc.ts';

const params = { name: 'grüßen', _meta: { [metaKey.version]: '2026-07-28' } };
const call = { id: 1, method: 'tools/call', params };
const name = `=?base64?${Buffer.from('grüßen').toString('base64')}?=`;
const right = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };

test('headers that match the body are accepted, with or without surrounding whitespace', () => {
  expect(() => checkHeaders(call, right)).not.toThrow();
  expect(() => checkHeaders(call, { ...right, 'mcp-method': '  tools/call ' })).not.toThrow();
  expect(() =>
    checkHeaders(
      { ...call, method: 'tools/list', params: { _meta: params._meta } },
      { ...right, 'mcp-method': 'tools/list' },
    ),
  ).not.toThrow();
});

test.each([
  ['version', { ...right, 'mcp-protocol-version': '2025-11-25' }],
  ['method', { ...right, 'mcp-method': 'TOOLS/CALL' }],
  ['name', { ...right, 'mcp-name': 'other' }],
  ['missing name', { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }],
  ['broken base64', { ...right, 'mcp-name': name.replace('?=', '') }],
])('a header that does not match the body is rejected: %s', (_what, headers) => {
  expect(() => checkHeaders(call, headers)).toThrow(expect.objectContaining({ code: -32020, httpStatus: 400 }));
});

test('arguments that a schema declares as headers must be sent as headers', () => {
  const schema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  const check = (args: object, headers: object) => () => checkParamHeaders(schema, args, { ...headers });
  expect(check({ region: 'eu' }, { 'mcp-param-region': 'eu' })).not.toThrow();
  expect(check({ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' })).not.toThrow();
  expect(check({ region: '=?base64?SGVsbG8=' }, { 'mcp-param-region': '=?base64?SGVsbG8=' })).not.toThrow();
  expect(check({}, {})).not.toThrow();
  for (const [args, headers] of [
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, {}],
    [{}, { 'mcp-param-region': 'eu' }],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }],
  ] as const) {
    expect(check(args, headers)).toThrow(expect.objectContaining({ code: -32020 }));
  }
});
