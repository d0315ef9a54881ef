import { expect, test } from 'vitest';
import { allRoutes } from '../../src/gateway/api/all-routes.ts';

/** Loads a file of the app without its types: those of React would replace the types of the browser in all tests. */
const load = (file: string) => import(new URL(`../../web/src/text/${file}`, import.meta.url).href);

test('the app has a name for every administrative act', async () => {
  const recorded = allRoutes
    .filter(({ recorded: isAct, right, method }) => isAct ?? (right === 'admin' && method !== 'get'))
    .map(({ operationId }) => operationId);
  const [{ en }, { createGrammar }] = await Promise.all([load('en.ts'), load('grammar.ts')]);
  const { operations } = en(createGrammar('en', 'en')).settings.activity;
  expect(Object.keys(operations).sort()).toEqual([...recorded, 'applyConfiguration', 'finishSignIn'].sort());
});
