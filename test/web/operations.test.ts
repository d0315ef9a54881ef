import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAdministration } from '../../packages/contract/rights.ts';
import { allRoutes } from '../../packages/gateway/features/all-routes.ts';
import { root } from '../support/imports.ts';

test('the app names only administrative acts that exist', () => {
  const recorded = allRoutes
    .filter(({ recorded: isAct, right, method }) => isAct ?? (isAdministration(right) && method !== 'get'))
    .map(({ operationId }) => operationId);
  const source = readFileSync(join(root, 'packages/web/src/pages/settings/activity/describe-act.ts'), 'utf8');
  const [, table = ''] = /^const operations = new Map\(\n(.*?)^\);/ms.exec(source) ?? [];
  const named = [...table.matchAll(/^ +(\w+): '/gm)].flatMap(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect([...recorded, 'applyConfiguration', 'finishSignIn', 'signIn']).toEqual(expect.arrayContaining(named));
});
