import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/fixtures.ts';
import { emptyProfile } from './profile.ts';
import { proposeProfile } from './propose.ts';
import { parseLine, readTraces } from './read-trace.ts';

test.each([
  ['12 1700000000.5 openat(AT_FDCWD</srv>, "a.txt", O_RDONLY|O_CLOEXEC) = 3</srv/a.txt>', 'read', ['/srv/a.txt']],
  ['1700000000.5 openat(AT_FDCWD</srv>, "/x/../y", O_WRONLY|O_CREAT, 0666) = 3</y>', 'write', ['/y']],
  ['1700000000.5 openat(17</deep>, "b", O_RDONLY) = 4</deep/b>', 'read', ['/deep/b']],
  ['1700000000.5 rename("/one", "/two") = 0', 'write', ['/one', '/two']],
  ['1700000000.5 symlink("/target", "/link") = 0', 'write', ['/link']],
  ['1700000000.5 symlinkat("/target", 7</deep>, "link") = 0', 'write', ['/deep/link']],
  ['1700000000.5 renameat(7</from>, "one", 8</to>, "two") = 0', 'write', ['/from/one', '/to/two']],
  ['1700000000.5 execve("/usr/bin/git", ["git", "log"], 0x7ffd /* 20 vars */) = 0', 'run', ['/usr/bin/git']],
  ['1700000000.5 mkdir("/ro", 0777) = -1 EROFS (Read-only file system)', 'write', ['/ro']],
  ['1700000000.5 openat(AT_FDCWD</>, "/tab\\tname\\303\\274", O_RDONLY <unfinished ...>', 'read', ['/tab\tnameü']],
])('the line %s of a trace is read', (line, kind, paths) => {
  expect(parseLine(line, '/srv')).toEqual(paths.map((path) => ({ path, kind, at: 1_700_000_000_500 })));
});

test.each([
  '1700000000.5 openat(AT_FDCWD</>, "/missing", O_RDONLY) = -1 ENOENT (No such file or directory)',
  '1700000000.5 <... openat resumed>) = 3',
  '+++ exited with 0 +++',
])('the line %s of a trace says nothing', (line) => {
  expect(parseLine(line, '/')).toEqual([]);
});

test('the smallest profile has the files and hosts that were used, with the calls that caused them, and what is allowed too much', async () => {
  await using folder = await tempDir();
  for (const name of ['many', 'few', 'out', 'home']) await mkdir(folder.file(name));
  for (const name of ['many/a', 'many/b', 'many/c', 'few/a', 'out/new', 'home/private'])
    await writeFile(folder.file(name), '');
  const read = (name: string, at: number) => ({ path: folder.file(name), kind: 'read' as const, at });
  const entries = await proposeProfile({
    files: [
      ...['many/a', 'many/b', 'many/c'].map((name) => read(name, 150)),
      read('few/a', 50),
      read('gone', 150),
      read('home', 150),
      { path: '/usr/lib/x.so', kind: 'read', at: 10 },
      { path: folder.file('out/new'), kind: 'write', at: 250 },
      { path: folder.file('few'), kind: 'look', at: 150 },
    ],
    hosts: [{ host: 'api.example.com', at: new Date(250).toISOString() }],
    calls: [
      { tool: 'list', from: 100, until: 200 },
      { tool: 'save', from: 200.5, until: 300 },
    ],
    covered: ['/usr'],
    named: [folder.path],
    home: folder.file('home'),
    allowed: { ...emptyProfile, read: [folder.file('few')], network: ['old.example.com'] },
  });
  expect(entries).toEqual([
    { list: 'read', entry: folder.file('few/a'), change: 'same', causes: ['start'] },
    { list: 'read', entry: folder.file('many'), change: 'added', causes: ['list'] },
    { list: 'write', entry: folder.file('out'), change: 'added', causes: ['save'] },
    { list: 'network', entry: 'api.example.com', change: 'added', causes: ['save'] },
    { list: 'network', entry: 'old.example.com', change: 'removed', causes: [] },
  ]);
});

test('traces are emptied once they are read, and each use is known from the time at which it was learned anew', async () => {
  await using folder = await tempDir();
  const line = (path: string, at: number) => `${at} openat(AT_FDCWD</>, "${path}", O_RDONLY) = 3\n`;
  const trace = folder.file('trace-1');
  const last = Date.now() / 1_000 + 100;
  await writeFile(trace, line('/one', last).repeat(1_000) + line('/two', last + 1));
  const paths = async (since: number) => (await readTraces(folder.path, '/', since)).map(({ path }) => path);
  expect(await Promise.all([paths(0), paths(0)])).toEqual([
    ['/one', '/two'],
    ['/one', '/two'],
  ]);
  expect(await readFile(trace, 'utf8')).toBe('');
  await writeFile(trace, line('/three', last + 2) + line('/one', last + 3));
  expect(await paths(0)).toEqual(['/one', '/two', '/three']);
  await writeFile(trace, line('/one', last + 5));
  expect(await paths((last + 4) * 1_000)).toEqual(['/one']);
  await expect(readFile(trace)).rejects.toThrow('ENOENT');
});
