import { once } from 'node:events';
import { mkdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { collectLog, tempDir } from '../../../../test/support/fixtures.ts';
import type { SkillDefinition, SkillFile } from '../../kernel/skill.ts';
import { createSkillFolders, type SkillFolders } from './skill-folders.ts';

const markdown = (name: string) => `---\nname: ${name}\ndescription: Describes ${name}\n---\nText\n`;

async function openFolder() {
  const directory = await tempDir();
  const { log, entries } = collectLog();
  return {
    path: directory.path,
    folders: createSkillFolders({ log }),
    left: () => entries.map(({ message }) => message),
    async write(path: string, content: string | Uint8Array) {
      await mkdir(dirname(directory.file(path)), { recursive: true });
      await writeFile(directory.file(path), content);
    },
    file: directory.file,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function load(folders: SkillFolders, ...paths: string[]): Promise<readonly SkillDefinition[]> {
  const loaded = await folders.load(paths);
  loaded.use();
  return loaded.definitions;
}

const filesOf = ({ resources }: SkillDefinition) => resources as readonly SkillFile[];

test('the skills of a folder are listed with all files, without those whose names begin with a dot', async () => {
  await using folder = await openFolder();
  await folder.write('git/SKILL.md', markdown('git'));
  await folder.write('git/references/Q&A 1.md', 'Questions');
  await folder.write('git/logo.png', new Uint8Array([0, 255]));
  await folder.write('git/.env', 'SECRET=1');
  await folder.write('git/.git/config', 'x');
  await folder.write('notes.txt', 'not a skill');
  const [skill, ...others] = await load(folder.folders, folder.path);
  if (!skill) throw new Error('no skill');
  expect(others).toEqual([]);
  expect(skill).toMatchObject({ uri: 'skill://git/SKILL.md', frontmatter: { name: 'git' } });
  expect(filesOf(skill).map(({ uri }) => uri)).toEqual([
    'skill://git/SKILL.md',
    'skill://git/logo.png',
    'skill://git/references/Q%26A%201.md',
  ]);
  const read = async (at: number) => (await folder.folders.read(skill, filesOf(skill)[at] as SkillFile)).contents;
  expect(await read(0)).toMatchObject([{ mimeType: 'text/markdown', text: markdown('git') }]);
  expect(await read(1)).toMatchObject([{ mimeType: 'image/png', blob: 'AP8=' }]);
  expect(await read(2)).toMatchObject([{ text: 'Questions' }]);
});

test('a folder can be a skill itself, and the first of two skills of one name is used', async () => {
  await using folder = await openFolder();
  await folder.write('one/git/SKILL.md', markdown('git'));
  await folder.write('two/git/SKILL.md', markdown('git'));
  const skills = await load(folder.folders, folder.file('one/git'), folder.file('two'));
  expect(skills.map(({ uri }) => uri)).toEqual(['skill://git/SKILL.md']);
  expect(folder.left()).toEqual([expect.stringContaining('has a skill of the same name')]);
});

test.each([
  [
    'a link to a file outside',
    (file: (name: string) => string) => symlink('/etc/hostname', file('bad/link.md')),
    'symbolic link',
  ],
  [
    'a link to a folder outside',
    (file: (name: string) => string) => symlink('/etc', file('bad/linked')),
    'symbolic link',
  ],
  ['a file that is too large', (file: (name: string) => string) => truncate(file('bad/SKILL.md'), 2 ** 25), 'bytes'],
  [
    'a socket',
    (file: (name: string) => string) => once(createServer().unref().listen(file('bad/socket')), 'listening'),
    'special file',
  ],
  [
    'another name than its folder',
    (file: (name: string) => string) => writeFile(file('bad/SKILL.md'), markdown('good')),
    'not that of its folder',
  ],
])('a skill with %s is left out, and the others are not', async (_name, spoil, reason) => {
  await using folder = await openFolder();
  await folder.write('bad/SKILL.md', markdown('bad'));
  await folder.write('good/SKILL.md', markdown('good'));
  await spoil(folder.file);
  const skills = await load(folder.folders, folder.path);
  expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(['good']);
  expect(folder.left()).toEqual([expect.stringContaining(reason)]);
});

test('a folder that becomes a link after it was loaded is not followed', async () => {
  await using folder = await openFolder();
  await folder.write('git/SKILL.md', markdown('git'));
  await folder.write('git/docs/a.md', 'A');
  await folder.write('elsewhere/a.md', 'B');
  const [skill] = await load(folder.folders, folder.path);
  if (!skill) throw new Error('no skill');
  await rename(folder.file('git/docs'), folder.file('git-docs'));
  await symlink(folder.file('elsewhere'), folder.file('git/docs'));
  await expect(folder.folders.read(skill, filesOf(skill)[1] as SkillFile)).rejects.toThrow('is not a folder');
});

test('a file that a skill does not list cannot be read, however its URI is written', async () => {
  await using folder = await openFolder();
  await folder.write('git/SKILL.md', markdown('git'));
  await folder.write('secret.txt', 'secret');
  const [skill] = await load(folder.folders, folder.path);
  if (!skill) throw new Error('no skill');
  for (const uri of ['skill://git/../secret.txt', 'skill://git/..%2fsecret.txt', 'skill://other/secret.txt'])
    await expect(folder.folders.read(skill, { uri, digest: '', size: 0 })).rejects.toThrow('There is no resource');
});

test('a folder that does not exist is an error of the configuration', async () => {
  await using folder = await openFolder();
  await expect(folder.folders.load([folder.file('missing')])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
