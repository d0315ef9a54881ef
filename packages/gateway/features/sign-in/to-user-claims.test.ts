import { expect, test } from 'vitest';
import { oidcDefaults } from '../../../contract/settings/defaults.ts';
import type { OidcConfig } from '../../../contract/settings/oidc-config.ts';
import { toUserClaims } from './to-user-claims.ts';

const settings: OidcConfig = {
  ...oidcDefaults,
  issuer: 'https://id.example.com',
  clientId: 'toolwharf',
  roles: { admin: ['ops'], approver: ['leads'], member: ['staff'] },
  profiles: { finance: ['finance'], sales: ['sales', 'staff'] },
};

const token = { iss: 'https://id.example.com', sub: 'ada', iat: 1_800_000_000 };
const claimsOf = (claims: object, change: Partial<OidcConfig> = {}) =>
  toUserClaims({ ...token, ...claims }, { ...settings, ...change });

test('a person gets all roles of their groups, and the first profile that has one of them', () => {
  expect(claimsOf({ groups: ['staff', 'leads', 'ops', 'finance'] })).toMatchObject({
    roles: ['admin', 'approver', 'member'],
    profile: 'finance',
  });
  expect(claimsOf({ groups: ['staff', 'leads', 'finance'] })).toMatchObject({
    roles: ['approver', 'member'],
    profile: 'finance',
  });
  expect(claimsOf({ groups: ['staff'] })).toMatchObject({ roles: ['member'], profile: 'sales' });
  expect(claimsOf({ groups: 'staff' })).toMatchObject({ roles: ['member'], groups: ['staff'] });
  expect(claimsOf({ groups: ['STAFF'] })?.roles).toEqual([]);
  expect(claimsOf({})).toMatchObject({ roles: [], groups: [], claimsAt: '2027-01-15T08:00:00.000Z' });
  expect(claimsOf({}, { defaultRole: 'member' })).toMatchObject({ roles: ['member'], profile: undefined });
});

test('groups can be in a nested claim, and an address is a group only if the provider verified it', () => {
  const nested = { groupsClaim: 'realm_access.roles' };
  expect(claimsOf({ realm_access: { roles: ['ops'] } }, nested)?.roles).toEqual(['admin']);
  const byEmail = { groupsClaim: 'email', roles: { admin: ['ada@example.com'] } };
  expect(claimsOf({ email: 'ada@example.com', email_verified: true }, byEmail)?.roles).toEqual(['admin']);
  for (const verified of [false, 'true', undefined])
    expect(claimsOf({ email: 'ada@example.com', email_verified: verified }, byEmail)?.roles).toEqual([]);
});

test('claims of another type, size or content are limited before they are stored', () => {
  for (const sub of ['', 'x'.repeat(256), 'a\0b']) expect(claimsOf({ sub })).toBeUndefined();
  const odd = claimsOf({ name: 5, email: '  ', preferred_username: `a\0${'x'.repeat(500)}`, groups: [1, 'ops', {}] });
  expect(odd).toMatchObject({ name: `a${'x'.repeat(199)}`, email: undefined, groups: ['ops'] });
  expect(claimsOf({ groups: Array(2_000).fill('g') })?.groups).toHaveLength(500);
  expect(claimsOf(JSON.parse('{"__proto__": {"groups": ["ops"]}}'))?.roles).toEqual([]);
});
