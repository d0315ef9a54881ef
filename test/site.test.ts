import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './support/imports.ts';
import { readPages } from './support/markdown.ts';

const docsDirectory = join(root, 'dist', 'docs');
/** The built site. `npm test` builds it first. */
const files = readdirSync(docsDirectory, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(docsDirectory, join(entry.parentPath, entry.name)));
const read = (file: string) => readFileSync(join(docsDirectory, file), 'utf8');
const pages = new Map(files.filter((file) => file.endsWith('.html')).map((file) => [file, read(file)]));
const anchors = new Map(
  [...pages].map(([file, html]) => [file, new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id))]),
);

describe('the documentation site', () => {
  test('the documentation site has a page for every Markdown file', () => {
    const expected = readPages().map(({ file }) => {
      if (file === 'README.md') return 'index.html';
      const path = file.startsWith('docs/') ? file.slice('docs/'.length) : `project/${file.toLowerCase()}`;
      return path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/md$/, 'html');
    });
    expect(expected.filter((file) => !pages.has(file))).toEqual([]);
  });

  test('the documentation site has no dead link, image or anchor', () => {
    const dead = [...pages].flatMap(([file, html]) =>
      [...html.matchAll(/\b(?:href|src|data-search|data-home)="([^"]*)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(target, file))
        .map((target) => `${file}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  test('the documentation site loads nothing from other origins and has no inline scripts or styles', () => {
    for (const [file, html] of pages) {
      const loaded = [...html.matchAll(/<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)="([^"]*)"/g)];
      expect(
        loaded.filter(([, target]) => /^(?:[a-z]+:|\/\/)/.test(target ?? '')),
        file,
      ).toEqual([]);
      expect(html.match(/<script(?![^>]*\bsrc=)|<style|\sstyle="|\son[a-z]+="/g), file).toBeNull();
    }
  });

  test('the documentation site lists every guide, quickstart and recipe in its navigation once', () => {
    const [, navigation = ''] = /<nav id="navigation"[^>]*>(.*?)<\/nav>/s.exec(read('index.html')) ?? [];
    const listed = [...navigation.matchAll(/href="([^"]+)"/g)].map(([, target]) => target);
    expect(new Set(listed).size).toBe(listed.length);
    const expected = [...pages.keys()].filter((file) => /^(guide|quickstart|recipes)\//.test(file));
    const generated = ['guide/index.html', 'quickstart/index.html'];
    expect(expected.filter((file) => !listed.includes(file) && !generated.includes(file))).toEqual([]);
  });

  test('the search of the documentation site finds sections that exist', () => {
    const index = files.find((file) => /^assets\/search-.*\.json$/.test(file)) ?? '';
    const sections = JSON.parse(read(index)) as { href: string; page: string; text: string }[];
    expect(sections.length).toBeGreaterThan(300);
    expect(sections.filter(({ href }) => !leadsSomewhere(href, 'index.html'))).toEqual([]);
  });

  test('the documentation site is small enough for the package', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(docsDirectory, file)).size, 0);
    expect(bytes).toBeLessThan(6_000_000);
  });
});

function leadsSomewhere(target: string, from: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(docsDirectory, file))) return false;
  return anchor === undefined || anchors.get(file)?.has(decodeURIComponent(anchor)) === true;
}
