import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../support/imports.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = new Set(
  ['packages', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ),
);

describe('documented tests', () => {
  test.each(['docs/guide/trust.md', 'SECURITY.md'])('every test file that %s names exists', (page) => {
    const named = [...read(page).matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(20);
    const isThere = (name: string) => files.has(name) || [...files].some((file) => file.endsWith(`/${name}`));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  test('SECURITY.md names every file of test/attacks except this one', () => {
    const page = read('SECURITY.md');
    const attacks = readdirSync(join(root, 'test/attacks')).filter((name) => name.endsWith('.test.ts'));
    expect(attacks.filter((name) => !page.includes(`\`${name}\``))).toEqual(['documents.test.ts']);
  });
});
