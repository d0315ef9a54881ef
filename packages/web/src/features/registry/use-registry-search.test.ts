import { expect, test } from 'vitest';
import type { RegistryPage } from '../../api/client.ts';
import { mergePages } from './use-registry-search.ts';

const page = (...found: readonly (readonly [name: string, version: string])[]): RegistryPage => ({
  registry: 'https://registry.example',
  servers: found.map(([name, version]) => ({
    name,
    version,
    description: '',
    status: 'active',
    installOptions: [],
    unusable: [],
  })),
});

test('a server on two pages is listed once', () => {
  const pages = [page(['a/one', '1'], ['a/two', '1']), page(['a/two', '2'], ['a/three', '1'])];
  expect(mergePages(pages).map(({ name, version }) => `${name} ${version}`)).toEqual([
    'a/one 1',
    'a/two 1',
    'a/three 1',
  ]);
  expect(mergePages([])).toEqual([]);
});
