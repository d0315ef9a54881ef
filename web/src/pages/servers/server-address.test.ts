import { expect, test } from 'vitest';
import { nameInPath, serverAddress } from './server-address.ts';

test.each(['plain', 'a/b', '100%', 'x?y#z', 'ünï ☃', '%2F'])('the name %s comes back out of its address', (name) => {
  expect(nameInPath(new URL(serverAddress(name), 'http://localhost').pathname)).toBe(name);
});

test('a path without a name has none, and a broken one is taken as it is', () => {
  expect(nameInPath('/servers')).toBeUndefined();
  expect(nameInPath('/servers/')).toBeUndefined();
  expect(nameInPath('/servers/100%')).toBe('100%');
});
