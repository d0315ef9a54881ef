import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toProviderName } from './provider-name.ts';

test('a valid name is unchanged [B8]', () => {
  expect(toProviderName('mcp_github_search-issues')).toBe('mcp_github_search-issues');
  expect(toProviderName('x'.repeat(64))).toBe('x'.repeat(64));
});

test('an invalid name gets a short, stable hash [B8]', () => {
  expect(toProviderName('mcp_Ant Design_list')).toBe('mcp_Ant_Design_list_6330377a');
  expect(toProviderName('x'.repeat(65))).toHaveLength(64);
  expect(toProviderName('x'.repeat(65), 128)).toBe('x'.repeat(65));
});

test('names that differ only in invalid characters stay distinct [B8]', () => {
  const names = ['a.b', 'a b', 'a/b', 'a_b', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`];
  expect(new Set(names.map((name) => toProviderName(name))).size).toBe(names.length);
});

test('a name starts with a letter or underscore if the provider requires it', () => {
  expect(toProviderName('21st_builder', 64, true)).toMatch(/^_21st_builder_[0-9a-f]{8}$/);
  expect(toProviderName('21st_builder')).toBe('21st_builder');
  expect(toProviderName('_private', 64, true)).toBe('_private');
});

test('every provider accepts the converted name of any tool [B8]', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
      expect(toProviderName(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(toProviderName(name, 64, true)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    }),
  );
});
