import { expect, test } from 'vitest';
import type { Pin } from '../../catalog/pins.ts';
import type { Account } from '../../connections/accounts/account-store.ts';
import type { RememberedRule } from '../../policy/remembered-rules.ts';
import {
  createMemoryAccounts,
  createMemoryPins,
  createMemoryRules,
  createMemoryToolOverrides,
} from './memory-stores.ts';

test('pins in memory are listed in pages, by their key, and remember tools that have suffixes', async () => {
  const pins = createMemoryPins();
  const toPin = (serverAddress: string, tool: string) => ({ serverAddress, tool, hash: `hash of ${tool}` }) as Pin;
  await pins.setAll([toPin('b', 'two'), toPin('a', 'one'), toPin('a', 'three')]);
  await pins.setSuffixed('a', ['one', 'missing']);
  expect(await pins.get('a', 'one')).toMatchObject({ suffixed: true });
  expect((await pins.readHashes('a')).get('three')).toMatchObject({ hash: 'hash of three' });
  expect(await pins.readAll('missing')).toEqual([]);
  const keys = [...(await pins.listHashes()).keys()];
  expect(keys).toHaveLength(3);
  const first = await pins.list({ limit: 2 });
  const rest = await pins.list({ after: keys.toSorted()[1] });
  expect([...first, ...rest].map(({ tool }) => tool).toSorted()).toEqual(['one', 'three', 'two']);
});

test('rules in memory are current at once', async () => {
  const rules = createMemoryRules();
  await rules.add({ id: 'one' } as RememberedRule);
  expect(rules.current?.()).toEqual(await rules.list());
  expect([await rules.remove('one'), await rules.remove('one')]).toEqual([true, false]);
});

test('an empty override in memory removes the one before', async () => {
  const overrides = createMemoryToolOverrides();
  const tool = { server: 's', tool: 'echo' };
  await overrides.setAll([{ ...tool, enabled: true, name: 'say' }]);
  expect(await overrides.list()).toHaveLength(1);
  await overrides.setAll([{ ...tool, enabled: true }]);
  expect(await overrides.list()).toEqual([]);
});

test('accounts in memory have one default for each owner and server, and callers get copies', async () => {
  const accounts = createMemoryAccounts();
  const toAccount = (id: string, owner: string) => ({ id, owner, server: 's', state: 'connected', isDefault: true });
  for (const [id, owner] of [
    ['one', 'ada'],
    ['two', 'ada'],
    ['three', 'bob'],
  ] as const)
    await accounts.put(toAccount(id, owner) as unknown as Account);
  const defaults = (await accounts.list({ owner: 'ada', server: 's' })).filter(({ isDefault }) => isDefault);
  expect(defaults.map(({ id }) => id)).toEqual(['two']);
  expect(await accounts.get('three')).not.toBe(await accounts.get('three'));
  expect(await accounts.remove('three')).toBe(true);
  expect((await accounts.list()).map(({ id }) => id).toSorted()).toEqual(['one', 'two']);
});
