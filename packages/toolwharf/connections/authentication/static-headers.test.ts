import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ToolwharfError } from '../../../contract/errors.ts';
import type { Authentication } from '../../../contract/settings/config.ts';
import { createPoolFetch } from '../http/pool-fetch.ts';
import { toStaticHeaders } from './static-headers.ts';

const variables: Readonly<Record<string, string>> = {
  '${TOKEN}': 'tok-1234567',
  '${EMPTY}': '',
  '${PADDED}': ' tok-1234567\n',
};

function headersFor(authentication: Authentication, headers: Record<string, string> = {}) {
  return toStaticHeaders(
    { authentication, headers },
    { serverName: 'notes', resolve: (value) => variables[value] ?? value },
  );
}

test('bearer, api-key and basic become headers, and references are resolved [R3]', () => {
  expect(headersFor({ type: 'none' }, { 'X-Team': '${TOKEN}' })).toEqual({ 'x-team': 'tok-1234567' });
  expect(headersFor({ type: 'bearer', token: '${TOKEN}' })).toEqual({ authorization: 'Bearer tok-1234567' });
  expect(headersFor({ type: 'bearer', token: '${PADDED}' })).toEqual({ authorization: 'Bearer tok-1234567' });
  expect(headersFor({ type: 'api-key', key: '${TOKEN}', header: 'X-API-Key' })).toEqual({ 'x-api-key': 'tok-1234567' });
  expect(headersFor({ type: 'oauth' })).toEqual({});
});

test('basic authentication encodes any name and password as UTF-8 [R3]', () => {
  const { authorization = '' } = headersFor({ type: 'basic', username: 'Jürgen', password: 'p:ä✓ ' });
  expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString('utf8')).toBe('Jürgen:p:ä✓ ');
});

test('authentication overrides a configured header of the same name', () => {
  expect(headersFor({ type: 'bearer', token: 'right-token' }, { Authorization: 'Bearer left' })).toEqual({
    authorization: 'Bearer right-token',
  });
});

const hostile: readonly [string, () => unknown][] = [
  ['a line break in a token', () => headersFor({ type: 'bearer', token: 'hunter22\r\nx-admin: 1' })],
  ['a line break in a key', () => headersFor({ type: 'api-key', key: 'hunter22\nHost: evil', header: 'x-api-key' })],
  ['a NUL in a header', () => headersFor({ type: 'none' }, { 'x-a': 'hunter22\0' })],
  ['a character headers do not know', () => headersFor({ type: 'bearer', token: 'hunter22✓' })],
  ['a header name with a line break', () => headersFor({ type: 'api-key', key: 'hunter22', header: 'x\r\ny' })],
  ['an empty header name', () => headersFor({ type: 'api-key', key: 'hunter22', header: '' })],
  ['a header that frames the request', () => headersFor({ type: 'none' }, { 'Transfer-Encoding': 'hunter22' })],
  ['another host', () => headersFor({ type: 'none' }, { Host: 'hunter22' })],
  ['a token that is not there', () => headersFor({ type: 'bearer', token: '${EMPTY}' })],
  ['a colon in a user name', () => headersFor({ type: 'basic', username: 'a:b', password: 'hunter22' })],
];

test.for(hostile)('%s is rejected with a message that does not contain the value', ([, work]) => {
  let refused: unknown;
  try {
    work();
  } catch (cause) {
    refused = cause;
  }
  expect(refused).toBeInstanceOf(ToolwharfError);
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining("Server 'notes'") });
  expect((refused as Error).message).not.toContain('hunter22');
});

test('a server receives the static headers unchanged [R3]', async () => {
  await using server = createServer((request, response) => void response.end(JSON.stringify(request.headers)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = createPoolFetch();
  const headers = headersFor({ type: 'basic', username: 'ada', password: 'ä' }, { 'X-Latin': 'caf\xe9' });
  const response = await pool.fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers });
  expect(await response.json()).toMatchObject({ authorization: 'Basic YWRhOsOk', 'x-latin': 'caf\xe9' });
  await pool.close();
});

test('a missing token is reported with the variable to set, and as missing credentials', () => {
  const read = (token: string) =>
    toStaticHeaders({ headers: {}, authentication: { type: 'bearer', token } }, { serverName: 's', resolve: () => '' });
  expect(() => read('${NOTES_TOKEN}')).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('its bearer token is empty: set ${NOTES_TOKEN} for the gateway'),
      data: expect.objectContaining({ needsCredentials: true }),
    }),
  );
  expect(() => read('')).toThrow('enter it in the settings of the server');
});
