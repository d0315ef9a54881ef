import { expect, test } from 'vitest';
import type { ApprovalConfig, ProfileConfig } from '../../../contract/settings/config.ts';
import { everyPermission, type Identity } from './identity.ts';
import { scopeOf } from './profile-scope.ts';

const approval: ApprovalConfig = {
  mode: 'auto',
  trustedTools: [],
  ask: [],
  deny: [],
  expiresMs: 1,
  approvers: 'admins',
  reads: 'allow',
};
const profile = (name: string, rules: Partial<ProfileConfig> = {}): ProfileConfig => ({
  name,
  naming: 'server__tool',
  expose: 'all',
  exposeBudget: 10_000,
  newTools: 'show',
  approval,
  ...rules,
});
const profiles = [
  profile('default'),
  profile('narrow', { servers: ['git*'], allow: ['github/*', 'local/*'], deny: ['*/delete_*'] }),
];
const identity = (rest: Partial<Identity> = {}): Identity => ({
  caller: { id: 'x', kind: 'client' },
  permissions: new Set(),
  ...rest,
});
const tool = (server: string | undefined, originalName: string) => ({ ...(server && { server }), originalName });

test('a caller sees only the servers and tools of its profile', () => {
  const scope = scopeOf(identity({ profile: 'narrow' }), profiles);
  expect(scope.hasServer('github')).toBe(true);
  expect(scope.hasServer('slack')).toBe(false);
  expect(scope.hasTool(tool('github', 'search'))).toBe(true);
  expect(scope.hasTool(tool('github', 'delete_repo'))).toBe(false);
  expect(scope.hasTool(tool('gitlab', 'search'))).toBe(false);
  expect(scope.hasTool(tool('slack', 'search'))).toBe(false);
  expect(scope.hasTool(tool(undefined, 'add'))).toBe(true);
  expect(scope.hasTool({ ...tool('github', 'search'), changed: 'quarantine' })).toBe(false);
});

test('an administrator sees everything, and a caller without a profile sees the default profile', () => {
  expect(scopeOf(identity({ permissions: everyPermission }), profiles).hasTool(tool('slack', 'delete_all'))).toBe(true);
  expect(scopeOf(identity(), profiles).profile.name).toBe('default');
});

test('a caller whose profile was removed has no access', () => {
  expect(() => scopeOf(identity({ profile: 'gone' }), profiles)).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  );
});
