import { expect, test } from 'vitest';
import { createMemoryOAuthStore, oauthServerKey } from './oauth-store.ts';

const tokens = { access_token: 'one', token_type: 'Bearer', issuer: 'https://issuer.example' };

test('OAuth records are stored by server and kind, and deleted one by one or together', async () => {
  const store = createMemoryOAuthStore();
  await store.set('a', 'tokens', tokens);
  await store.set('a', 'client', { client_id: 'us', issuer: tokens.issuer });
  await store.set('b', 'tokens', { ...tokens, access_token: 'two' });
  expect(await store.get('a', 'tokens')).toEqual(tokens);
  await store.delete('a', 'tokens');
  expect(await store.get('a', 'tokens')).toBeUndefined();
  expect(await store.get('a', 'client')).toMatchObject({ client_id: 'us' });
  await store.delete('a');
  expect(await store.get('a', 'client')).toBeUndefined();
  expect(await store.get('b', 'tokens')).toMatchObject({ access_token: 'two' });
});

test('changing an OAuth record after reading it does not change the stored one', async () => {
  const store = createMemoryOAuthStore();
  await store.set('a', 'tokens', tokens);
  const read = (await store.get('a', 'tokens')) as { access_token: string };
  read.access_token = 'changed';
  expect(await store.get('a', 'tokens')).toEqual(tokens);
});

test('the OAuth key of a server depends on its name and its URL', () => {
  const keys = [
    oauthServerKey('a', 'https://one.example/mcp'),
    oauthServerKey('b', 'https://one.example/mcp'),
    oauthServerKey('a', 'https://two.example/mcp'),
    oauthServerKey('a', 'https://one.example/mcp?tenant=1'),
  ];
  expect(new Set(keys).size).toBe(4);
  expect(oauthServerKey('a', 'https://one.example/mcp#top')).toBe(keys[0]);
});
