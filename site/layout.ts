import { escapeHtml } from './code-block.ts';
import type { NavigationEntry, Site, SitePage } from './read-site.ts';
import { type RenderedPage, relativePath } from './render-page.ts';

/** The addresses of the files that every page loads, in the site. */
export interface SiteAssets {
  readonly styles: string;
  readonly theme: string;
  readonly script: string;
  readonly icon: string;
  readonly search: string;
}

/** A whole page of the site. Its links are relative, so that the site works under any path. */
export function toHtml(site: Site, page: SitePage, content: RenderedPage, assets: SiteAssets): string {
  const href = (path: string) => escapeHtml(relativePath(page, { path }));
  const isHome = page === site.home;
  const title = isHome ? 'Toolwharf' : `${page.title} · Toolwharf`;
  return `<!doctype html>
<html lang="en" data-search="${href(assets.search)}" data-home="${href(site.home.path)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.summary.slice(0, 200))}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${href(assets.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${href(assets.styles)}">
<script src="${href(assets.theme)}"></script>
<script type="module" src="${href(assets.script)}"></script>
</head>
<body${isHome ? ' class="home"' : ''}>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" class="icon menu" aria-label="Menu" aria-expanded="false" aria-controls="navigation">${icons.menu}</button>
<a class="brand" href="${href(site.home.path)}"><img src="${href(assets.icon)}" alt="" width="22" height="22">Toolwharf <span>${escapeHtml(site.version)}</span></a>
<button type="button" class="search" aria-keyshortcuts="Control+K Meta+K" hidden>${icons.search}<span>Search</span><kbd aria-hidden="true">Ctrl K</kbd></button>
<button type="button" class="icon theme" aria-label="Switch between light and dark" hidden>${icons.theme}</button>
<a class="icon" href="${escapeHtml(site.repository)}" aria-label="Source code">${icons.source}</a>
</header>
<div class="columns">
<nav id="navigation" class="pages" aria-label="Pages">
${navigation(site, page)}
</nav>
<main id="content" tabindex="-1">
<article>
${isHome ? toCards(content.html) : content.html}</article>
${footer(site, page)}
</main>
${contents(content)}
</div>
</body>
</html>
`;
}

/** In a card, the title has a line of its own, so that the text below begins without the colon of the list. */
function toCards(html: string): string {
  return html.replaceAll(/(<li><a [^>]*>[^<]*<\/a>): (\w)/g, (_, title, first) => `${title} ${first.toUpperCase()}`);
}

function navigation(site: Site, page: SitePage): string {
  const link = ({ title, page: target }: NavigationEntry) => {
    const current = target === page ? ' aria-current="page"' : '';
    return `<li><a href="${escapeHtml(relativePath(page, target))}"${current}>${escapeHtml(title)}</a></li>`;
  };
  return site.navigation
    .map(({ title, entries }) => `<h2>${escapeHtml(title)}</h2>\n<ul>\n${entries.map(link).join('\n')}\n</ul>`)
    .join('\n');
}

/** The sections of the page. */
function contents({ headings }: RenderedPage): string {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (sections.length < 2) return '';
  const links = sections.map(
    ({ depth, text, anchor }) => `<li class="depth-${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${links.join('\n')}\n</ul>\n</nav>`;
}

/** The pages before and after this one in the navigation, and its source. */
function footer(site: Site, page: SitePage): string {
  const entries = site.navigation.flatMap((group) => group.entries);
  const at = entries.findIndex((entry) => entry.page === page);
  const link = (entry: NavigationEntry | undefined, kind: 'prev' | 'next', label: string) =>
    entry === undefined
      ? ''
      : `<a rel="${kind}" href="${escapeHtml(relativePath(page, entry.page))}"><small>${label}</small>${escapeHtml(entry.title)}</a>`;
  const around = at < 0 ? '' : `${link(entries[at - 1], 'prev', 'Previous')}${link(entries[at + 1], 'next', 'Next')}`;
  const source = `${site.repository}/blob/main/${page.file}`;
  return `<footer>
${around === '' ? '' : `<div class="around">${around}</div>`}
<p><a href="${escapeHtml(source)}">Source of this page</a></p>
</footer>`;
}

const icon = (paths: string) =>
  `<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`;

const icons = {
  menu: icon('<path d="M4 6h16M4 12h16M4 18h16"/>'),
  search: icon('<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>'),
  theme: icon('<path d="M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.500 10.500z"/>'),
  source: icon('<path d="m16 18 6-6-6-6M8 6l-6 6 6 6"/>'),
};
