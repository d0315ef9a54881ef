import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { marked, type Token, type Tokens } from 'marked';

/** A Markdown file of the repository that is a page of the site. */
export interface SitePage {
  /** The path from the root of the repository. */
  readonly file: string;
  /** The path in the site, such as `guide/approval.html`. */
  readonly path: string;
  readonly title: string;
  /** The text of the first paragraph. */
  readonly summary: string;
  readonly tokens: readonly Token[];
}

export interface NavigationGroup {
  readonly title: string;
  readonly entries: readonly NavigationEntry[];
}

export interface NavigationEntry {
  readonly title: string;
  readonly page: SitePage;
}

export interface Site {
  readonly root: string;
  /** Where files of the repository that are not pages can be read. */
  readonly repository: string;
  readonly version: string;
  /** By file. */
  readonly pages: ReadonlyMap<string, SitePage>;
  readonly home: SitePage;
  readonly navigation: readonly NavigationGroup[];
}

const homeFile = 'docs/README.md';

/** Pages outside of docs. README.md is missing, because docs/README.md is the first page of the site. */
export const projectFiles = ['CHANGELOG.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'SECURITY.md', 'VISION.md'];

/** Reads all pages and the navigation of the site. */
export function readSite(root: string): Site {
  const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('docs', name.replaceAll('\\', '/')))
    .filter((file) => file.endsWith('.md'))
    .sort();
  const read = (file: string) => toPage(file, readFileSync(join(root, file), 'utf8'));
  const pages = new Map([...files, ...projectFiles].map((file) => [file, read(file)]));
  for (const index of missingIndexes([...pages.values()])) pages.set(index.file, index);
  const home = pages.get(homeFile);
  if (home === undefined) throw new Error(`${homeFile} is missing: it is the first page of the site.`);
  return {
    root,
    repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, ''),
    version,
    pages,
    home,
    navigation: navigationOf(home, pages),
  };
}

/** Where a link of a page leads: a page, a path of the repository outside of docs, or nowhere (undefined). */
export function resolveTarget(site: Site, file: string, target: string): SitePage | string | undefined {
  const path = posix.normalize(posix.join(posix.dirname(file), target)).replace(/\/$/, '');
  if (path === 'README.md') return site.home;
  const page = site.pages.get(path) ?? site.pages.get(`${path}/README.md`);
  if (page !== undefined) return page;
  // A container is built without the other files of the repository.
  return path.startsWith('docs/') ? undefined : path;
}

/** The address of a file or directory on the host of the repository. */
export function repositoryUrl(site: Site, path: string): string {
  return `${site.repository}/${/\.\w+$/.test(path) ? 'blob' : 'tree'}/main/${path}`;
}

/** The text of Markdown without its marks. */
export function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      if (token.type === 'br') return ' ';
      if (token.type === 'html') return '';
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token && typeof token.text === 'string' ? unescapeHtml(token.text) : '';
    })
    .join('');
}

/** Marked escapes the characters of HTML in some texts. */
const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

function toPage(file: string, text: string): SitePage {
  const tokens = marked.lexer(text);
  const heading = tokens.find((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 1);
  const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === 'paragraph');
  return {
    file,
    path: pathOf(file),
    title: plainText(heading?.tokens) || file,
    summary: plainText(paragraph?.tokens).replaceAll(/\s+/g, ' '),
    tokens,
  };
}

function pathOf(file: string): string {
  const inDocs = file.startsWith('docs/') ? file.slice('docs/'.length) : `project/${file.toLowerCase()}`;
  return inDocs.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
}

/** For each folder of docs without a README.md, a page that lists its pages. */
function missingIndexes(pages: readonly SitePage[]): SitePage[] {
  const folders = new Set(pages.map(({ file }) => dirname(file)).filter((folder) => folder.startsWith('docs/')));
  return [...folders]
    .filter((folder) => !pages.some(({ file }) => file === `${folder}/README.md`))
    .map((folder) => {
      const [first = '', ...rest] = posix.basename(folder);
      const lines = pages
        .filter(({ file }) => dirname(file) === folder)
        .map(({ file, title }) => `- [${title}](${posix.basename(file)})`);
      return toPage(`${folder}/README.md`, `# ${first.toUpperCase()}${rest.join('')}\n\n${lines.join('\n')}\n`);
    });
}

/**
 * The sections of the first page that list links to pages, in their order. Guides that it does not list follow, so that every guide
 * can be found.
 */
function navigationOf(home: SitePage, pages: ReadonlyMap<string, SitePage>): NavigationGroup[] {
  const groups: { title: string; entries: NavigationEntry[] }[] = [];
  for (const token of home.tokens) {
    if (token.type === 'heading' && token.depth === 2) groups.push({ title: plainText(token.tokens), entries: [] });
    if (token.type !== 'list') continue;
    for (const entry of entriesOf(token as Tokens.List, home, pages)) {
      groups.at(-1)?.entries.push(entry);
      // A page that lists a folder brings its list with it.
      const lists = entry.page.file.endsWith('/README.md')
        ? entry.page.tokens.filter((each): each is Tokens.List => each.type === 'list')
        : [];
      const isFolder = lists.length > 1;
      if (isFolder) groups.at(-1)?.entries.push(...lists.flatMap((list) => entriesOf(list, entry.page, pages)));
    }
  }
  const listed = new Set(groups.flatMap(({ entries }) => entries.map(({ page }) => page)));
  const others = [...pages.values()]
    .filter((page) => /^docs\/guide\/(?!README)/.test(page.file) && !listed.has(page))
    .map((page) => ({ title: page.title, page }));
  if (others.length > 0) groups.push({ title: 'More guides', entries: others });
  return groups.filter(({ entries }) => entries.length > 0);
}

function entriesOf(list: Tokens.List, from: SitePage, pages: ReadonlyMap<string, SitePage>): NavigationEntry[] {
  return list.items.flatMap(({ tokens }) => {
    const link = firstLink(tokens);
    if (link === undefined) return [];
    const path = posix.normalize(posix.join(posix.dirname(from.file), link.href.replace(/#.*/, ''))).replace(/\/$/, '');
    const page = pages.get(path) ?? pages.get(`${path}/README.md`);
    return page ? [{ title: plainText(link.tokens), page }] : [];
  });
}

function firstLink(tokens: readonly Token[]): Tokens.Link | undefined {
  const [first] = tokens;
  if (first === undefined) return undefined;
  if (first.type === 'link') return first as Tokens.Link;
  return 'tokens' in first && first.tokens ? firstLink(first.tokens) : undefined;
}
