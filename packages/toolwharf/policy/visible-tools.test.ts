import { expect, test } from 'vitest';
import { createVisibility } from './visible-tools.ts';

const tool = (server: string | undefined, originalName: string, changed?: string) => ({
  originalName,
  ...(server !== undefined && { server }),
  ...(changed !== undefined && { changed }),
});

test('without rules, every tool is visible except quarantined ones', () => {
  const { hasServer, hasTool } = createVisibility({});
  expect(hasServer('any')).toBe(true);
  expect(hasTool(tool('any', 'tool'))).toBe(true);
  expect(hasTool(tool('any', 'tool', 'ask'))).toBe(true);
  expect(hasTool(tool('any', 'tool', 'quarantine'))).toBe(false);
});

test('a visible tool is on a visible server, allowed and not denied, and deny overrides allow', () => {
  const { hasServer, hasTool } = createVisibility({
    servers: ['git*'],
    allow: ['*/read_*', 'local/*'],
    deny: ['github/read_secret'],
  });
  expect(hasServer('github')).toBe(true);
  expect(hasServer('files')).toBe(false);
  expect(hasTool(tool('github', 'read_file'))).toBe(true);
  expect(hasTool(tool('github', 'read_secret'))).toBe(false);
  expect(hasTool(tool('github', 'write_file'))).toBe(false);
  expect(hasTool(tool('files', 'read_file'))).toBe(false);
  expect(hasTool(tool(undefined, 'own'))).toBe(true);
});

test('a URI that is too long to be compared with the patterns of a profile is hidden', () => {
  const long = `memo://docs/${'x'.repeat(9_000)}`;
  expect(createVisibility({ resources: ['memo://docs/*'] }).hasResource('any', long)).toBe(false);
  expect(createVisibility({}).hasResource('any', long)).toBe(true);
});

test('a new tool is hidden by a profile that hides new tools, and by no other', () => {
  const isNew = { ...tool('any', 'tool'), isNew: true };
  expect(createVisibility({ newTools: 'hide' }).hasTool(isNew)).toBe(false);
  expect(createVisibility({ newTools: 'hide' }).hasTool(tool('any', 'tool'))).toBe(true);
  expect(createVisibility({ newTools: 'show' }).hasTool(isNew)).toBe(true);
});
