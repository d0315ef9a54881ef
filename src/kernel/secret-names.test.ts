import { expect, test } from 'vitest';
import { isSecretName } from './secret-names.ts';

test('names that hold secrets are told from names that only sound like it', () => {
  const secret = [
    'GITHUB_TOKEN',
    'x-api-key',
    'Authorization',
    'client_secret',
    'DB_PASSWORD',
    'auth',
    'Cookie',
    'PRIVATE_KEY',
  ];
  const plain = ['AUTHOR', 'authors', 'HOME', 'keyboard', 'MONKEY', 'PATH', 'name'];
  expect(secret.filter((name) => !isSecretName(name))).toEqual([]);
  expect(plain.filter(isSecretName)).toEqual([]);
});
