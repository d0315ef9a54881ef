/** Marks the section in view in the contents of the page. */
export function followSections(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a')].map((link) => [link.hash.slice(1), link]),
  );
  if (links.size === 0) return;
  const headings = [...document.querySelectorAll<HTMLElement>('article :is(h2, h3)[id]')];
  const show = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
    const current = passed.at(-1) ?? headings[0];
    for (const [id, link] of links) {
      if (id === current?.id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  new IntersectionObserver(show, { rootMargin: '-110px 0px 0px 0px' }).observe(document.body);
  document.addEventListener('scroll', show, { passive: true });
  show();
}
