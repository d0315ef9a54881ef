import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allRoutes } from '../../src/gateway/api/all-routes.ts';
import { root } from '../support/imports.ts';

test('the app has a name for every administrative act', () => {
  const recorded = allRoutes
    .filter(({ recorded: isAct, right, method }) => isAct ?? (right === 'admin' && method !== 'get'))
    .map(({ operationId }) => operationId);
  const catalog = readFileSync(join(root, 'web/src/text/en.ts'), 'utf8');
  const [, operations = ''] = /^ +operations: \{\n(.*?)^ +\},/ms.exec(catalog) ?? [];
  const named = [...operations.matchAll(/^ +(\w+): '/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...recorded, 'applyConfiguration', 'finishSignIn', 'signIn'].sort());
});
