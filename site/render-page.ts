import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { type CodeInfo, escapeHtml, parseInfo } from './code-block.ts';
import { readImageSize } from './image-size.ts';
import { plainText, repositoryUrl, resolveTarget, type Site, type SitePage } from './read-site.ts';

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Files of the repository that the page shows. */
  readonly images: readonly string[];
  /** Links and images that lead nowhere. */
  readonly broken: readonly string[];
}

/** Renders the content of a page, with links that work in the site. */
export function renderPage(
  site: Site,
  page: SitePage,
  codeBlock: (code: string, info: CodeInfo) => string,
): RenderedPage {
  const headings: Heading[] = [];
  const images = new Set<string>();
  const broken: string[] = [];
  const anchors = createAnchors();

  function toHref(target: string): string {
    if (/^[a-z]+:/i.test(target) || target.startsWith('#')) return target;
    const [path = '', anchor] = target.split('#');
    const found = resolveTarget(site, page.file, path);
    if (found === undefined) broken.push(target);
    if (found === undefined) return '#';
    const hash = anchor === undefined ? '' : `#${anchor}`;
    return (typeof found === 'string' ? repositoryUrl(site, found) : relativePath(page, found)) + hash;
  }

  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const text = plainText(tokens);
        const anchor = anchors(text);
        headings.push({ depth, text, anchor });
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${anchor}">${content}</h1>\n`;
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${content} ${link}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escapeHtml(toHref(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const file = posix.normalize(posix.join(posix.dirname(page.file), href));
        if (!existsSync(join(site.root, file))) broken.push(href);
        else images.add(file);
        const size = readImageSize(join(site.root, file));
        const dimensions = size ? ` width="${size.width}" height="${size.height}"` : '';
        const source = relativePath(page, { path: imagePath(file) });
        return `<img src="${escapeHtml(source)}" alt="${escapeHtml(text)}"${dimensions} loading="lazy">`;
      },
      code({ text, lang = '' }: Tokens.Code) {
        return codeBlock(text, parseInfo(lang));
      },
      table(token: Tokens.Table) {
        const head = token.header.map((cell) => `<th>${this.parser.parseInline(cell.tokens)}</th>`).join('');
        const rows = token.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`).join('')}</tr>`,
        );
        const body = `<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody>`;
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${body}</table></div>\n`;
      },
    },
  });
  const html = markdown.parser([...page.tokens]);
  return { html, headings, images: [...images], broken };
}

/** The path of an image in the site. */
export function imagePath(file: string): string {
  return file.startsWith('docs/') ? file.slice('docs/'.length) : `project/${file}`;
}

/** The relative address of a page or file of the site, as seen from a page. */
export function relativePath(from: Pick<SitePage, 'path'>, to: Pick<SitePage, 'path'>): string {
  return posix.relative(posix.dirname(from.path), to.path) || posix.basename(to.path);
}

/** Anchors like those of GitHub: the second heading with the same text gets `-1`. */
export function createAnchors(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const plain = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  };
}
