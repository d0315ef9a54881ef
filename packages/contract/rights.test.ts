import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { impliedBy, labelOf, permissionNames, shippedRoleNames, shippedRoles, withImplied } from './rights.ts';
import { apiRoutes } from './routes/api-routes.ts';

const page = join(import.meta.dirname, '../../docs/reference/permissions.md');

function toPage(): string {
  const rows = permissionNames.map((name) => {
    const roles = shippedRoleNames.filter((role) => withImplied(shippedRoles[role].permissions).has(name));
    const implied = impliedBy(name).map((one) => `\`${one}\``);
    return `| \`${name}\` | ${labelOf(name)} | ${implied.join(', ')} | ${roles.join(', ')} |`;
  });
  return `# Permissions

Every route of the [API](api.md) names the permission that it needs. [Roles](../guide/roles.md) and keys are sets of permissions. In keys, the
rights \`read\`, \`call\` and \`admin\` stand for sets: what members see, what members do, and everything.

| permission | allows to | includes | built-in roles |
|---|---|---|---|
${rows.join('\n')}
`;
}

test('docs/reference/permissions.md has every permission (UPDATE_DOCS=1 writes them)', async () => {
  if (process.env.UPDATE_DOCS) await writeFile(page, toPage());
  expect(await readFile(page, 'utf8')).toBe(toPage());
});

test('every permission that a route needs is listed, and implied permissions exist', () => {
  for (const { right } of Object.values(apiRoutes)) if (right !== 'public') expect(permissionNames).toContain(right);
  const { raw } = { raw: permissionNames.flatMap((name) => [...withImplied([name])]) };
  expect(new Set(raw)).toEqual(new Set(permissionNames));
});

test('the built-in roles contain what their permissions imply', () => {
  for (const role of shippedRoleNames) {
    const { permissions } = shippedRoles[role];
    expect([...withImplied(permissions)].sort()).toEqual([...permissions].sort());
  }
});
