import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Tokens } from 'marked';
import { build } from 'vite';
import { loadCodeBlocks, parseInfo } from './code-block.ts';
import { type SiteAssets, toHtml } from './layout.ts';
import { readSite, type Site, type SitePage } from './read-site.ts';
import { imagePath, type RenderedPage, renderPage } from './render-page.ts';
import { searchSections } from './search-sections.ts';

const here = import.meta.dirname;
const root = dirname(here);

/** Listings without sentences: a search finds their titles only. */
const listings = new Set(['docs/reference/api-report.md']);

/** Builds the site into a directory; resolves to the paths of its pages. Fails if a link leads nowhere. */
export async function buildSite(outDir: string): Promise<string[]> {
  const site = readSite(root);
  const pages = await renderPages(site);
  rmSync(outDir, { recursive: true, force: true });
  const assets = await buildAssets(outDir, site);
  for (const [page, content] of pages) {
    write(join(outDir, page.path), toHtml(site, page, content, assets));
    for (const image of content.images) copy(join(root, image), join(outDir, imagePath(image)));
  }
  const missing = { ...site.home, path: '404.html', title: 'Page not found' };
  const html = '<h1>Page not found</h1>\n<p>Search, or choose a page from the menu.</p>\n';
  write(join(outDir, missing.path), toHtml(site, missing, { html, headings: [], images: [], broken: [] }, assets));
  return [...pages.keys()].map(({ path }) => path);
}

async function renderPages(site: Site): Promise<Map<SitePage, RenderedPage>> {
  const pages = [...site.pages.values()];
  const blocks = pages.flatMap(({ tokens }) => tokens.filter((token): token is Tokens.Code => token.type === 'code'));
  const codeBlock = await loadCodeBlocks(blocks.map(({ lang = '' }) => parseInfo(lang).language));
  const rendered = new Map(pages.map((page) => [page, renderPage(site, page, codeBlock)]));
  const broken = [...rendered].flatMap(([{ file }, content]) => content.broken.map((link) => `${file}: ${link}`));
  if (broken.length > 0) throw new Error(`These links lead nowhere:\n${broken.join('\n')}`);
  return rendered;
}

/** Writes the script, the styles and the search index; their names contain a hash of their content. */
async function buildAssets(outDir: string, site: Site): Promise<SiteAssets> {
  const result = await build({
    root: here,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: join(here, 'client', 'main.ts') },
    },
  });
  const files = 'output' in result ? result.output.map(({ fileName }) => fileName) : [];
  const find = (pattern: RegExp) => files.find((name) => pattern.test(name)) ?? '';
  const hashed = (name: string, body: string | Buffer) => {
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 8);
    const path = `assets/${name.replace(/\.(?=\w+$)/, `-${hash}.`)}`;
    write(join(outDir, path), body);
    return path;
  };
  // The code of the search is in the script.
  const licence = readFileSync(new URL('../../LICENSE.txt', import.meta.resolve('minisearch')), 'utf8');
  write(join(outDir, 'third-party-licences.txt'), `minisearch\n\n${licence}`);
  const sections = [...site.pages.values()].flatMap((page) =>
    listings.has(page.file) ? searchSections(page).map((section) => ({ ...section, text: '' })) : searchSections(page),
  );
  return {
    styles: find(/\.css$/),
    script: find(/^assets\/main-.*\.js$/),
    theme: hashed('theme.js', readFileSync(join(here, 'client', 'theme.js'))),
    icon: hashed('icon.svg', readFileSync(join(root, 'packages', 'web', 'public', 'icon.svg'))),
    search: hashed('search.json', JSON.stringify(sections)),
  };
}

function write(file: string, body: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, body);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
