import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/fixtures.ts';
import { explainOldNode } from './node-version.ts';

test('a Node that is too old is named, with a command that runs Toolwharf on a newer one', () => {
  const message = explainOldNode('20.20.2', ['serve', '--port', '8000'], import.meta.url);
  expect(message).toContain('Toolwharf needs Node 22.19 or later, and this is Node 20.20.2.');
  expect(message).toContain(
    'npx --loglevel=error --package node@24 --package toolwharf-gateway toolwharf serve --port 8000',
  );
  expect(explainOldNode('22.18.0', [], import.meta.url)).toBeDefined();
});

test('the command names the tarball that npx was given', async () => {
  await using directory = await tempDir();
  const cli = directory.file('node_modules/toolwharf-gateway/dist/cli');
  mkdirSync(cli, { recursive: true });
  const explain = () => explainOldNode('20.20.2', ['serve'], pathToFileURL(`${cli}/main.js`).href);
  writeFileSync(
    directory.file('package.json'),
    JSON.stringify({ _npx: { packages: ['./toolwharf-gateway-0.1.0.tgz'] } }),
  );
  expect(explain()).toContain('--package ./toolwharf-gateway-0.1.0.tgz toolwharf serve');
  writeFileSync(directory.file('package.json'), JSON.stringify({ dependencies: {} }));
  expect(explain()).toContain('--package toolwharf-gateway toolwharf serve');
});

test('every Node that package.json allows is accepted', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe('>=22.19');
  expect(['22.19.0', '22.20.1', '24.0.0'].map((version) => explainOldNode(version, [], import.meta.url))).toEqual(
    Array(3).fill(undefined),
  );
});
