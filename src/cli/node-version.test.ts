import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explainOldNode } from './node-version.ts';

test('a Node that is too old is named, with a command that runs Toolwharf on a newer one', () => {
  const message = explainOldNode('20.20.2', ['serve', '--port', '8000']);
  expect(message).toContain('Toolwharf needs Node 22.19 or later, and this is Node 20.20.2.');
  expect(message).toContain(
    'npx --loglevel=error --package node@24 --package toolwharf-gateway toolwharf serve --port 8000',
  );
  expect(explainOldNode('22.18.0', [])).toBeDefined();
});

test('every Node that package.json allows is accepted', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(engines.node).toBe('>=22.19');
  expect(['22.19.0', '22.20.1', '24.0.0'].map((version) => explainOldNode(version, []))).toEqual(
    Array(3).fill(undefined),
  );
});
