import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RememberedRule } from '../../../toolwharf/policy/remembered-rules.ts';
import { createRuleFile } from './rule-file.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolwharf-rules-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const rule = (id: string): RememberedRule => ({
  id,
  scope: 'tool',
  answer: 'allow',
  serverAddress: 'stdio:1',
  server: 'a',
  tool: 'b',
  definitionHash: 'c',
  createdAt: '2026-01-01T00:00:00.000Z',
});

test('remembered approvals persist in the file and can be removed', async () => {
  const file = join(directory, 'new', 'folder', 'approvals.json');
  expect(await createRuleFile(file).list()).toEqual([]);
  await createRuleFile(file).add(rule('one'));
  await createRuleFile(file).add(rule('two'));
  expect(await createRuleFile(file).list()).toEqual([rule('one'), rule('two')]);
  expect(await createRuleFile(file).remove('one')).toBe(true);
  expect(await createRuleFile(file).remove('one')).toBe(false);
  expect(await createRuleFile(file).list()).toEqual([rule('two')]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(directory, 'new', 'folder'))).toEqual(['approvals.json']);
});

test.each([
  ['invalid JSON', '{'],
  ['no rules', '{}'],
  ['a rule without a tool', '{"rules":[{"id":"x","scope":"tool","answer":"allow","createdAt":"now"}]}'],
  ['an unknown answer', '{"rules":[{"id":"x","scope":"server","answer":"maybe","createdAt":"now"}]}'],
])('a rule file with %s is an error that names the file', async (_, text) => {
  const file = join(directory, 'damaged.json');
  await writeFile(file, text);
  await expect(createRuleFile(file).list()).rejects.toMatchObject({ code: 'CONFIG_INVALID', data: { file } });
  await expect(createRuleFile(file).add(rule('one'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
