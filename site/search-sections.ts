import type { Token, Tokens } from 'marked';
import { plainText, type SitePage } from './read-site.ts';
import { createAnchors } from './render-page.ts';

/** A section of a page, as the search knows it. */
export interface SearchSection {
  /** The address in the site: `guide/approval.html#pins`. */
  readonly href: string;
  readonly page: string;
  /** Missing for the text before the first section. */
  readonly heading?: string;
  readonly text: string;
}

/** Long sections are listings: their first part is enough to find them. */
const maxText = 3_000;

/** Splits a page at its headings. */
export function searchSections(page: SitePage): SearchSection[] {
  const anchors = createAnchors();
  const sections: { href: string; page: string; heading?: string; text: string }[] = [
    { href: page.path, page: page.title, text: '' },
  ];
  for (const token of page.tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token.tokens);
      const anchor = anchors(heading);
      if (token.depth > 1) sections.push({ href: `${page.path}#${anchor}`, page: page.title, heading, text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (section && section.text.length < maxText) section.text += ` ${textOf(token)}`;
  }
  return sections.map((section) => ({
    ...section,
    text: section.text.replaceAll(/\s+/g, ' ').trim().slice(0, maxText),
  }));
}

function textOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((cells) => cells.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map((item) => item.tokens.map(textOf).join(' ')).join(' ');
  if ('tokens' in token && token.tokens) return plainText(token.tokens);
  return 'text' in token && typeof token.text === 'string' ? token.text : '';
}
