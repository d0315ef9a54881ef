import MiniSearch from 'minisearch';
import type { SearchSection } from '../search-sections.ts';

export interface SearchHit {
  readonly href: string;
  readonly title: string;
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
}

const maxHits = 12;

/** Loads the sections of all pages and indexes them in the browser. */
export async function loadSearch(): Promise<(query: string) => SearchHit[]> {
  const { search = '', home = '' } = document.documentElement.dataset;
  const response = await fetch(search);
  if (!response.ok) throw new Error(`The search index responded with ${response.status}`);
  const sections: readonly SearchSection[] = await response.json();
  const base = new URL(home, location.href);
  const index = new MiniSearch<SearchSection & { readonly id: number }>({
    fields: ['heading', 'page', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 3 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return (query) => {
    const strict = index.search(query);
    const found = strict.length > 0 ? strict : index.search(query, { combineWith: 'OR' });
    return found.slice(0, maxHits).flatMap(({ id, terms }) => {
      const section = sections[id];
      if (!section) return [];
      const title = section.heading === undefined ? section.page : `${section.page} › ${section.heading}`;
      return [{ href: new URL(section.href, base).href, title, excerpt: excerptOf(section.text, terms) }];
    });
  };
}

/** The text around the first match. */
function excerptOf(text: string, terms: readonly string[]): SearchHit['excerpt'] {
  const pattern = new RegExp(
    `(${terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`,
    'iu',
  );
  const first = Math.max(0, text.search(pattern));
  const start = first < 60 ? 0 : text.indexOf(' ', first - 50) + 1;
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, start + 180)}`;
  return shown
    .split(new RegExp(pattern.source, 'giu'))
    .map((part, at) => ({ text: part, isMatch: at % 2 === 1 }))
    .filter(({ text: part }) => part !== '');
}
