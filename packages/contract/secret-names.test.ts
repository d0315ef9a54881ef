import { expect, test } from 'vitest';
import { isSecretName } from './secret-names.ts';

test('names of secrets are distinguished from names that only resemble them', () => {
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
