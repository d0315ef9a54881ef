import { expect, test } from 'vitest';
import { createAccountOwner, createAccountPorts } from './account-owner.ts';

const conversations = {
  get: async (id: string) => ({ ada: { owner: 'user:ada' }, here: { owner: 'local' } })[id] as never,
};

test('a caller uses the accounts of the person behind it, and of nobody else', async () => {
  const ownerOf = createAccountOwner(conversations);
  expect(await ownerOf({ id: 'user:ada', kind: 'person', user: 'ada' })).toBe('user:ada');
  expect(await ownerOf({ id: 'key:1', kind: 'client' })).toBe('key:1');
  // A client that a person signed in acts for that person.
  expect(await ownerOf({ id: 'token:1', kind: 'client', user: 'ada' })).toBe('user:ada');
  // The person who runs the gateway, at this machine and with the admin token.
  expect(await ownerOf({ id: 'local', kind: 'client' })).toBe('operator');
  expect(await ownerOf({ id: 'admin', kind: 'person' })).toBe('operator');
});

test('an assistant uses the accounts of the owner of its conversation, and has none without one', async () => {
  const ownerOf = createAccountOwner(conversations);
  const assistant = { id: 'assistant:1', kind: 'assistant' } as const;
  expect(await ownerOf({ ...assistant, conversation: 'ada' })).toBe('user:ada');
  expect(await ownerOf({ ...assistant, conversation: 'here' })).toBe('operator');
  expect(await ownerOf({ ...assistant, conversation: 'gone' })).toBeUndefined();
  expect(await ownerOf(assistant)).toBeUndefined();
});

test('the page of accounts is at the address of the gateway, if browsers can reach it', () => {
  const ports = (returnUrl: string | undefined) =>
    createAccountPorts(
      { accounts: {} as never, conversations: {} as never },
      { returnUrl: () => returnUrl, waitMs: () => 1 },
    );
  const page = ports('https://tools.example.com/api/oauth/callback').pageUrl?.('a b');
  expect(page).toBe('https://tools.example.com/accounts?server=a%20b');
  expect(ports(undefined).pageUrl?.('a')).toBeUndefined();
});
