import { expect, test } from 'vitest';
import { readServer, serverAddress } from './server-address.ts';

test.each(['plain', 'a/b', '100%', 'x?y#z', 'ünï ☃', '%2F'])(
  'the address of the server %s is read back as the same name',
  (name) => {
    expect(readServer(new URL(serverAddress(name), 'http://localhost').pathname)).toBe(name);
  },
);

test('a path without a name has no server, and a malformed one is taken literally', () => {
  expect(readServer('/servers')).toBeUndefined();
  expect(readServer('/servers/')).toBeUndefined();
  expect(readServer('/servers/100%')).toBe('100%');
});
