import { expect, test } from 'vitest';
import { ToolwharfError } from '../../../contract/errors.ts';
import { RpcError, toError, toMessage, toRpcError } from './rpc.ts';

test('a message is classified by its members', () => {
  expect(toMessage({ jsonrpc: '2.0', id: 0, method: 'ping' })).toEqual({
    kind: 'request',
    request: { id: 0, method: 'ping', params: {} },
  });
  expect(toMessage({ jsonrpc: '2.0', method: 'note', params: { a: 1 } })).toMatchObject({ kind: 'notification' });
  expect(toMessage({ jsonrpc: '2.0', id: 'x', result: {} })).toMatchObject({ kind: 'response', result: {} });
  expect(toMessage({ jsonrpc: '2.0', id: 'x', error: {} })).toMatchObject({ kind: 'response', error: {} });
});

test.each([
  [null],
  ['ping'],
  [{ id: 1, method: 'ping' }],
  [{ jsonrpc: '2.0', id: {}, method: 'ping' }],
  [{ jsonrpc: '2.0', id: 1, method: 7 }],
  [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
  [{ jsonrpc: '2.0', result: {} }],
  [{ jsonrpc: '2.0', id: 1 }],
])('an invalid message is rejected: %o', (value) => {
  expect(() => toMessage(value)).toThrow(expect.objectContaining({ code: -32600, httpStatus: 400 }));
});

test('an error of a server reaches the client with its code, text and data', () => {
  const cause = new ToolwharfError('SERVER_ERROR', 'no such row', { data: { rpcCode: -32050, rpcData: { row: 1 } } });
  expect(toError(4, toRpcError(cause))).toEqual({
    jsonrpc: '2.0',
    id: 4,
    error: { code: -32050, message: 'no such row', data: { row: 1 } },
  });
});

test('other failures are internal errors with their message', () => {
  const disconnected = toRpcError(new ToolwharfError('SERVER_DISCONNECTED', 'The server is not connected'));
  expect(disconnected).toMatchObject({
    code: -32603,
    message: 'The server is not connected',
    data: { code: 'SERVER_DISCONNECTED' },
  });
  expect(toRpcError(new Error('odd'))).toMatchObject({ code: -32603, message: 'odd' });
  const own = new RpcError(-32602, 'no');
  expect(toRpcError(own)).toBe(own);
});
