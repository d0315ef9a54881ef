import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allRoutes } from '../../packages/gateway/features/all-routes.ts';
import { root } from '../support/imports.ts';

test('the app has a name for every administrative act', () => {
  const recorded = allRoutes
    .filter(({ recorded: isAct, right, method }) => isAct ?? (right === 'admin' && method !== 'get'))
    .map(({ operationId }) => operationId);
  const catalog = readFileSync(join(root, 'packages/web/src/pages/settings/activity/describe-act.ts'), 'utf8');
  const [, operations = ''] = /^const operationsTexts = \{\n(.*?)^\};/ms.exec(catalog) ?? [];
  const named = [...operations.matchAll(/^ +(\w+): '/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...recorded, 'applyConfiguration', 'finishSignIn', 'signIn'].sort());
});
