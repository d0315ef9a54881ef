import { expect, test } from 'vitest';
import { checkSkill, pathInSkill, skillPath, skillRoot, uriKey } from './skill.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const file = (uri: string) => ({ uri, digest, size: 1 });
const skill = (changes: object = {}) => ({
  uri: 'skill://billing/refunds/SKILL.md',
  frontmatter: { name: 'refunds', description: 'Refunds' },
  resources: [file('skill://billing/refunds/SKILL.md'), file('skill://billing/refunds/references/a%20b.md')],
  ...changes,
});

test('two spellings of a URI have the same key, and a path with dot segments has the key of its target', () => {
  expect(uriKey('SKILL://a/b%2Emd?x#y')).toBe('skill://a/b.md');
  expect(uriKey('skill://a/x/../b.md')).toBe(uriKey('skill://a/b.md'));
  expect(uriKey('skill://a/%53KILL.md')).toBe('skill://a/SKILL.md');
  for (const uri of ['', 'refunds', 'urn:skill', 'skill://', 'x'.repeat(10_000)]) expect(uriKey(uri)).toBeUndefined();
});

test('a skill is named by the path of its folder, whatever its scheme', () => {
  expect(skillRoot('skill://billing/refunds/SKILL.md')).toBe('skill://billing/refunds');
  expect(skillPath('skill://billing/refunds/SKILL.md')).toBe('billing/refunds');
  expect(skillPath('github://acme/tools/refunds/SKILL.md')).toBe('acme/tools/refunds');
  expect(skillRoot('skill:///SKILL.md')).toBeUndefined();
  expect(skillRoot('skill://refunds/README.md')).toBeUndefined();
  expect(pathInSkill('skill://refunds/SKILL.md', 'skill://refunds/a%20b.md')).toBe('a b.md');
  expect(pathInSkill('skill://refunds/SKILL.md', 'skill://refunds-2/a.md')).toBeUndefined();
});

test('a complete entry is valid, and so is one whose files are generated', () => {
  expect(checkSkill(skill())).toBeUndefined();
  expect(checkSkill(skill({ resources: 'dynamic' }))).toBeUndefined();
});

test.each([
  ['no uri', { uri: undefined }, 'its uri'],
  ['a uri of another file', { uri: 'skill://billing/refunds/skill.md' }, 'its uri'],
  ['no frontmatter', { frontmatter: undefined }, 'no frontmatter'],
  ['the name of another folder', { frontmatter: { name: 'other', description: 'x' } }, 'not that of its folder'],
  ['a name with capitals', { frontmatter: { name: 'Refunds', description: 'x' } }, 'its name'],
  ['no description', { frontmatter: { name: 'refunds', description: '' } }, 'its description'],
  ['no list of files', { resources: undefined }, 'does not list its files'],
  ['files without SKILL.md', { resources: [file('skill://billing/refunds/a.md')] }, 'do not include SKILL.md'],
  ['a file of another skill', { resources: [file('skill://billing/other/a.md')] }, 'not in its folder'],
  ['a file above its folder', { resources: [file('skill://billing/refunds/../a.md')] }, 'not in its folder'],
  ['an encoded separator', { resources: [file('skill://billing/refunds/..%2Fa.md')] }, 'not in its folder'],
  ['an encoded backslash', { resources: [file('skill://billing/refunds/..%5ca.md')] }, 'not in its folder'],
  [
    'a file under two spellings',
    { resources: [file('skill://billing/refunds/SKILL.md'), file('skill://billing/refunds/%53KILL.md')] },
    'twice',
  ],
  ['a weak digest', { resources: [{ ...file('skill://billing/refunds/SKILL.md'), digest: 'md5:1' }] }, 'digest'],
  ['no size', { resources: [{ ...file('skill://billing/refunds/SKILL.md'), size: -1 }] }, 'size'],
  ['too many bytes', { resources: [{ ...file('skill://billing/refunds/SKILL.md'), size: 2 ** 25 }] }, 'bytes'],
  [
    'too many files',
    { resources: Array.from({ length: 513 }, (_, at) => file(`skill://billing/refunds/${at}`)) },
    '512',
  ],
])('an entry with %s is rejected', (_name, changes, reason) => {
  expect(checkSkill(skill(changes))).toContain(reason);
});
