import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfigText } from '../../packages/toolwharf/config/load-config.ts';
import { root } from '../support/imports.ts';
import { toPage } from '../support/markdown.ts';

const file = 'docs/guide/migration.md';
const { blocks } = toPage(file, readFileSync(join(root, file), 'utf8'));
const fragments = blocks.filter(({ language, words }) => language === 'yaml' && !words.includes('wrong'));
const configs = fragments.map(({ text }) => parseConfigText(text, 'toolwharf.yaml', { env: {} }).config);
const [strict, dynamic, ...rest] = configs;
const [native, squidbot, squidbotAsNative, bridge, bridgeAsNative] = rest;

test('the guide shows every mode of a myai file before and after it is converted [N1, M2]', () => {
  expect(strict?.servers[0]).toMatchObject({ name: 'customers', mode: 'strict', required: true });
  expect(dynamic?.servers[0]).toMatchObject({ mode: 'dynamic', defaultTool: { maxInstances: 10, timeoutMs: 30_000 } });
  expect(native?.dialect).toBe('native');
  expect(native?.servers).toEqual(dynamic?.servers);
  expect(native?.toolbox.naming).toBe(dynamic?.toolbox.naming);
});

test.each([
  ['squidbot', squidbot, squidbotAsNative],
  ['bridge', bridge, bridgeAsNative],
])('a %s file and its native form in the guide have the same servers [N1]', (dialect, before, after) => {
  expect(before?.dialect).toBe(dialect);
  expect(after?.dialect).toBe('native');
  expect(after?.servers).toEqual(before?.servers);
});
