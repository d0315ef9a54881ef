import { expect, test } from 'vitest';
import type { Naming } from '../../../contract/settings/choices.ts';
import type { CatalogEntry } from '../../../toolwharf/catalog/catalog.ts';
import { createVisibility } from '../../../toolwharf/policy/visible-tools.ts';
import { createAppUris } from '../../features/apps/app-uris.ts';
import { listResources } from './view-resources.ts';

type Uris = Readonly<Record<string, readonly string[]>>;

/** The resources of servers that list these URIs and have tools with these apps. */
function resourcesOf(listed: Uris, apps: Uris, naming: Naming = 'server__tool') {
  const pairs = (uris: Uris) => Object.entries(uris).flatMap(([server, own]) => own.map((uri) => ({ server, uri })));
  const entries = pairs(apps).map(({ server, uri }) => ({
    server,
    definition: { _meta: { ui: { resourceUri: uri } } },
  }));
  const offered = pairs(listed).map(({ server, uri }) => ({ server, item: { uri } }));
  const names = new Set([...Object.keys(listed), ...Object.keys(apps)]);
  return listResources({
    offers: { list: () => offered, listTemplates: () => [] } as never,
    visibility: createVisibility({}),
    servers: [...names].map((name) => ({ name, offers: { resources: {} } })) as never,
    appUris: createAppUris(entries as unknown as CatalogEntry[], naming),
    skills: { isOfSkill: () => false },
    skillView: { findFile: () => undefined, exposedUri: () => undefined },
    isPersonal: () => false,
    owners: { find: () => undefined, findTemplate: () => undefined },
  });
}

test('a server cannot take the prefixed URI of another server, also while that one is not connected', () => {
  const { findResource } = resourcesOf({ bank: [], evil: ['ui://bank/account'] }, { evil: ['ui://evil'] });
  expect(findResource('ui://bank/account')).toEqual({ server: 'bank', uri: 'ui://account' });
  expect(findResource('ui://evil/bank/account')).toEqual({ server: 'evil', uri: 'ui://bank/account' });
});

test('a URI that begins with the name of its own server can be read with and without the prefix', () => {
  const { resources, findResource } = resourcesOf({ bank: ['ui://bank/account'] }, { bank: ['ui://bank/account'] });
  const own = { server: 'bank', uri: 'ui://bank/account' };
  expect(resources).toEqual([{ uri: 'ui://bank/bank/account' }]);
  expect(findResource('ui://bank/bank/account')).toEqual(own);
  expect(findResource('ui://bank/account')).toEqual(own);
});

test('in plain naming an app belongs to the server of its tool, whichever server lists it first', () => {
  const listed = { evil: ['ui://account'], bank: ['ui://account'] };
  const { resources, findResource } = resourcesOf(listed, { bank: ['ui://account'] }, 'plain');
  expect(resources).toEqual([{ uri: 'ui://evil/account' }, { uri: 'ui://account' }]);
  expect(findResource('ui://account')).toEqual({ server: 'bank', uri: 'ui://account' });
  expect(findResource('ui://evil/account')).toEqual({ server: 'evil', uri: 'ui://account' });
});

test('an app of two servers cannot be read without a prefix', () => {
  const listed = { one: ['ui://a'], two: ['ui://a'] };
  expect(resourcesOf(listed, listed).findResource('ui://a')).toBeUndefined();
});

test('a malformed prefix is no server', () => {
  const { findResource } = resourcesOf({ one: ['ui://a'], two: [] }, {});
  for (const uri of ['ui://%E0%A4%A/a', 'ui:///a', 'ui://one/', 'ui://', 'ui://three/a'])
    expect(findResource(uri)).toBeUndefined();
});

test('a plain resource cannot take the place of the skill of another server', () => {
  const { resources, findResource } = resourcesOf(
    { docs: [], evil: ['skill://docs/refunds/SKILL.md', 'skill://a'] },
    {},
  );
  expect(resources).toEqual([{ uri: 'skill://a' }]);
  for (const uri of ['skill://docs/refunds/SKILL.md', 'SKILL://d%6fcs/refunds/SKILL.md'])
    expect(findResource(uri)).toBeUndefined();
});
