import { mkdirSync, realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/fixtures.ts';
import { findPackage } from './find-package.ts';

test('a package is found in the nearest node_modules above a file, by its path or URL', async () => {
  await using directory = await tempDir();
  for (const path of ['node_modules/@scope/one', 'inner/node_modules/@scope/one', 'node_modules/two'])
    mkdirSync(directory.file(path), { recursive: true });
  const inner = directory.file('inner/deep/file.js');
  const realPath = (path: string) => realpathSync(directory.file(path));
  expect(findPackage('@scope/one', inner)).toBe(realPath('inner/node_modules/@scope/one'));
  expect(findPackage('two', pathToFileURL(inner).href)).toBe(realPath('node_modules/two'));
  expect(findPackage('missing', inner)).toBeUndefined();
});
