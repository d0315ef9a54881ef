import { expect, test } from 'vitest';
import { readPackages } from '../../../../../test/support/imports.ts';
import { loadSdk } from './load-sdk.ts';

test('the packages of model providers are loaded on first use only', () => {
  const sources = [...readPackages()].filter(([file]) => !file.endsWith('.test.ts'));
  const early = /^(?:import|export)\s+(?!type\b)[^;]*?\sfrom\s+'(?:ai|@ai-sdk\/[^']+)'/m;
  expect(sources.filter(([, source]) => early.test(source)).map(([file]) => file)).toEqual([]);
  expect(sources.filter(([, source]) => /\bimport\('ai'\)/.test(source)).map(([file]) => file)).toEqual([
    'packages/gateway/features/chat/models/load-sdk.ts',
  ]);
});

test('the SDK prints no warnings by default', async () => {
  await loadSdk();
  expect(globalThis.AI_SDK_LOG_WARNINGS).toBe(false);
});
