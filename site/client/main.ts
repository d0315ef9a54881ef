import './site.css';
import { addCopyButtons } from './copy-buttons.ts';
import { followSections } from './follow-sections.ts';
import { openSearch } from './search-dialog.ts';

const find = <T extends HTMLElement>(selector: string) => document.querySelector<T>(selector);

const search = find<HTMLButtonElement>('button.search');
const theme = find<HTMLButtonElement>('button.theme');
const menu = find<HTMLButtonElement>('button.menu');

if (search) {
  search.hidden = false;
  search.addEventListener('click', () => openSearch());
}
if (theme) {
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem('toolwharf.theme', next);
    document.documentElement.dataset.theme = next;
  });
}
menu?.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  menu.setAttribute('aria-expanded', String(isOpen));
});

document.addEventListener('keydown', (event) => {
  const isSearch = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
  const isField = event.target instanceof HTMLInputElement;
  if (!isSearch && (event.key !== '/' || isField)) return;
  event.preventDefault();
  openSearch();
});

const pages = find('#navigation');
const current = find('#navigation [aria-current]');
// Scrolls the list of pages, and never the page.
if (pages && current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
addCopyButtons();
followSections();
