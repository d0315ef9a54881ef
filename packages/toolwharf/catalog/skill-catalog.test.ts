import { expect, test } from 'vitest';
import { collectLog } from '../../../test/support/fixtures.ts';
import type { OnChange } from '../../contract/settings/choices.ts';
import type { ServerSpec } from '../../contract/settings/config.ts';
import { systemClock } from '../kernel/clock.ts';
import type { SkillDefinition } from '../kernel/skill.ts';
import { createMemoryPins } from '../storage/memory/memory-stores.ts';
import { createSkillCatalog } from './skill-catalog.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

function skill(path: string, { description = 'Refunds', files = { 'SKILL.md': 'a' } as object, dynamic = false } = {}) {
  const root = `skill://${path}`;
  const resources = Object.entries(files).map(([name, letter]) => ({
    uri: `${root}/${name}`,
    digest: digest(String(letter)),
    size: 1,
  }));
  const name = path.split('/').at(-1) ?? '';
  const definition: SkillDefinition = {
    uri: `${root}/SKILL.md`,
    frontmatter: { name, description },
    resources: dynamic ? 'dynamic' : resources,
  };
  return definition;
}

function open() {
  const { log, entries } = collectLog();
  const pins = createMemoryPins();
  const spec = (onChange: OnChange = 'ask') =>
    ({
      name: 'docs',
      onChange,
      target: { transport: 'http', url: 'https://docs.example.com/mcp', headers: {} },
    }) as unknown as ServerSpec;
  return { pins, spec, log: entries, catalog: createSkillCatalog({ pins, clock: systemClock, log }) };
}

test('the first version of a skill is pinned, and a changed file or description is a change that names the file', async () => {
  const { catalog, spec, log } = open();
  expect(await catalog.setServer(spec(), [skill('refunds', { files: { 'SKILL.md': 'a', 'a.md': 'b' } })])).toBe(true);
  expect(catalog.entries[0]?.changed).toBeUndefined();
  await catalog.setServer(spec(), [skill('refunds', { files: { 'SKILL.md': 'a', 'a.md': 'c' } })]);
  expect(catalog.entries[0]).toMatchObject({
    changed: 'ask',
    changes: [{ path: '/files/a.md/digest', kind: 'changed', before: digest('b'), after: digest('c') }],
  });
  await catalog.setServer(spec(), [skill('refunds', { description: 'Other', files: { 'SKILL.md': 'a' } })]);
  expect(catalog.entries[0]?.changes?.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'changed /frontmatter/description',
    'removed /files/a.md',
  ]);
  expect(log.map(({ event }) => event)).toEqual(['catalog.skill-changed', 'catalog.skill-changed']);
});

test('only the version that was reviewed can be accepted', async () => {
  const { catalog, spec } = open();
  await catalog.setServer(spec('quarantine'), [skill('refunds')]);
  await catalog.setServer(spec('quarantine'), [skill('refunds', { files: { 'SKILL.md': 'b' } })]);
  const reviewed = catalog.entries[0];
  expect(reviewed?.changed).toBe('quarantine');
  await catalog.setServer(spec('quarantine'), [skill('refunds', { files: { 'SKILL.md': 'c' } })]);
  const { uri } = skill('refunds');
  expect(await catalog.accept('docs', uri, reviewed?.definitionHash ?? '')).toBe(false);
  expect(await catalog.accept('docs', uri, catalog.entries[0]?.definitionHash ?? '')).toBe(true);
  expect(catalog.entries[0]?.changed).toBeUndefined();
  // The pin is stored: the same version is the accepted one from now on.
  expect(await catalog.setServer(spec('quarantine'), [skill('refunds', { files: { 'SKILL.md': 'c' } })])).toBe(false);
  await catalog.setServer(spec('quarantine'), [skill('refunds')]);
  expect(catalog.entries[0]?.changed).toBe('quarantine');
});

test('a generated skill always asks, because no version of it can be accepted', async () => {
  const { catalog, spec } = open();
  await catalog.setServer(spec(), [skill('daily', { dynamic: true })]);
  const [entry] = catalog.entries;
  expect(entry).toMatchObject({ changed: 'ask' });
  expect(await catalog.accept('docs', entry?.definition.uri ?? '', entry?.definitionHash ?? '')).toBe(false);
  await catalog.setServer(spec('allow'), [skill('daily', { dynamic: true })]);
  expect(catalog.entries[0]?.changed).toBeUndefined();
});

test('a URI that the server lists twice names no skill', async () => {
  const { catalog, spec, log } = open();
  await catalog.setServer(spec(), [skill('refunds'), skill('refunds', { description: 'Other' }), skill('release')]);
  expect(catalog.entries.map(({ definition }) => definition.frontmatter.name)).toEqual(['release']);
  expect(log.map(({ event }) => event)).toEqual(['catalog.skill-repeated']);
});

test('a file belongs to the innermost skill, and an unlisted file to none', async () => {
  const { catalog, spec } = open();
  const outer = skill('team', { files: { 'SKILL.md': 'a', 'release/SKILL.md': 'b' } });
  await catalog.setServer(spec(), [outer, skill('team/release', { files: { 'SKILL.md': 'b' } })]);
  const nameOf = (uri: string) => catalog.locate('docs', uri)?.entry.definition.frontmatter.name;
  expect(nameOf('skill://team/SKILL.md')).toBe('team');
  expect(nameOf('skill://team/release/%53KILL.md')).toBe('release');
  expect(nameOf('skill://team/other.md')).toBeUndefined();
  expect(catalog.isInSkill('docs', 'skill://team/other.md')).toBe(true);
  expect(catalog.isInSkill('docs', 'skill://teams/other.md')).toBe(false);
  expect(catalog.locate('other', 'skill://team/SKILL.md')).toBeUndefined();
});
