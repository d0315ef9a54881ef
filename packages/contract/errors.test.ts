import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ConnectionError, errorStatus, messageOf, ProtocolError, ToolwharfError, toToolwharfError } from './errors.ts';

test('the error table and docs/errors.md name the same codes with the same status', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(documented).toEqual(Object.entries(errorStatus));
});

test('an error carries its code, its status and its cause', () => {
  const cause = new Error('socket hang up');
  const error = new ConnectionError('SERVER_DISCONNECTED', 'The server went away', { cause, data: { server: 's' } });
  expect(error).toMatchObject({
    name: 'ConnectionError',
    code: 'SERVER_DISCONNECTED',
    status: 503,
    cause,
    data: { server: 's' },
  });
  expect(error).toBeInstanceOf(ToolwharfError);
  expect(error).not.toBeInstanceOf(ProtocolError);
});

test('any thrown value becomes a ToolwharfError, and a ToolwharfError stays the same object', () => {
  const own = new ToolwharfError('NOT_FOUND', 'no');
  expect(toToolwharfError(own)).toBe(own);
  expect(toToolwharfError('text')).toMatchObject({ code: 'INTERNAL', message: 'text' });
});

test('a message includes each cause that adds information once', () => {
  const inner = new Error('connect ECONNREFUSED');
  expect(messageOf(new Error('fetch failed', { cause: inner }))).toBe('fetch failed: connect ECONNREFUSED');
  expect(messageOf(new Error('fetch failed: connect ECONNREFUSED', { cause: inner }))).toBe(
    'fetch failed: connect ECONNREFUSED',
  );
  expect(messageOf(new ToolwharfError('INTERNAL', 'Said in full', { cause: inner }))).toBe('Said in full');
  expect(messageOf(undefined)).toBe('unknown error');
});
