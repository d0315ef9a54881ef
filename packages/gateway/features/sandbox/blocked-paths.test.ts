import { expect, test } from 'vitest';
import { findBlockedPaths } from './blocked-paths.ts';

const shown = {
  readable: ['/usr', '/srv/notes', '/home/ada/shown'],
  writable: ['/srv/notes/drafts'],
  roots: ['/home', '/srv', '/usr', '/tmp'],
  home: '/home/ada',
};
const missing = 'ENOENT: no such file or directory';

test.each([
  ['a path of the arguments', { path: '/srv/other/a.txt' }, missing, [['read', '/srv/other/a.txt']]],
  ['a path of the home', { deep: [{ path: '~/mail' }] }, missing, [['read', '/home/ada/mail']]],
  ['a file URL', { uri: 'file:///srv/a' }, 'File not found', [['read', '/srv/a']]],
  ['a path of the error', {}, `${missing}, open '/srv/x/y.db'`, [['read', '/srv/x/y.db']]],
  ['a path that is shown', { path: '/srv/notes/a' }, missing, []],
  ['a path that leads out of a shown one', { path: '/srv/notes/../key' }, missing, [['read', '/srv/key']]],
  ['a file that is read-only', { path: '/srv/notes/a' }, 'EROFS: read-only file system', [['write', '/srv/notes/a']]],
  ['a file that can be changed', { path: '/srv/notes/drafts/a' }, 'Read-only file system', []],
  ['the path of a URL', { path: '/v1/users' }, '404 Not Found', []],
  ['a directory of the root', { path: '/srv' }, missing, []],
  ['another error', { path: '/srv/other' }, 'quota exceeded', []],
] as const)('%s is named if the sandbox is the likely reason', (_what, args, error, expected) => {
  expect(findBlockedPaths(args as never, error, shown).map(({ list, path }) => [list, path])).toEqual(expected);
});
