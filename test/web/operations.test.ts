import { expect, test } from 'vitest';
import { allRoutes } from '../../src/gateway/api/all-routes.ts';
import { en } from '../../web/src/text/en.ts';
import { createGrammar } from '../../web/src/text/grammar.ts';

test('the app has a name for every administrative act', () => {
  const recorded = allRoutes
    .filter(({ recorded: isAct, right, method }) => isAct ?? (right === 'admin' && method !== 'get'))
    .map(({ operationId }) => operationId);
  const { operations } = en(createGrammar('en', 'en')).settings.activity;
  expect(Object.keys(operations).sort()).toEqual([...recorded, 'applyConfiguration', 'finishSignIn'].sort());
});
