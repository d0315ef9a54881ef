import { loadSearch, type SearchHit } from './search.ts';

let dialog: HTMLDialogElement | undefined;

/** Opens the search. The index loads when it opens for the first time. */
export function openSearch(): void {
  dialog ??= createDialog();
  if (!dialog.open) dialog.showModal();
  dialog.querySelector('input')?.select();
}

function createDialog(): HTMLDialogElement {
  const element = document.createElement('dialog');
  element.className = 'search';
  element.setAttribute('aria-label', 'Search');
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Search the documentation';
  input.setAttribute('aria-label', 'Search the documentation');
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-expanded', 'true');
  input.setAttribute('aria-controls', 'search-results');
  const list = document.createElement('ul');
  list.id = 'search-results';
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Results');
  const status = document.createElement('p');
  status.setAttribute('role', 'status');
  element.append(input, status, list);
  document.body.append(element);

  const search = loadSearch();
  let selected = 0;

  const select = (index: number) => {
    const options = [...list.children];
    selected = Math.max(0, Math.min(index, options.length - 1));
    for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === selected));
    const option = options[selected];
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  };

  const show = async () => {
    const query = input.value.trim();
    try {
      const find = await search;
      // The text has changed while the index loaded.
      if (query !== input.value.trim()) return;
      const hits = query === '' ? [] : find(query);
      list.replaceChildren(...hits.map(toOption));
      status.textContent = query !== '' && hits.length === 0 ? `Nothing found for “${query}”.` : '';
    } catch {
      status.textContent = 'The search index could not be loaded.';
    }
    select(0);
  };

  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') select(selected + 1);
    else if (event.key === 'ArrowUp') select(selected - 1);
    // Browsers would only empty the field at first.
    else if (event.key === 'Escape') element.close();
    else if (event.key === 'Enter') list.children[selected]?.querySelector('a')?.click();
    else return;
    event.preventDefault();
  });
  // A click on the backdrop has the dialog itself as its target.
  element.addEventListener('click', ({ target }) => {
    if (target === element || (target instanceof Element && target.closest('a'))) element.close();
  });
  return element;
}

function toOption({ href, title, excerpt }: SearchHit, index: number): HTMLLIElement {
  const option = document.createElement('li');
  option.id = `search-result-${index}`;
  option.setAttribute('role', 'option');
  const link = document.createElement('a');
  link.href = href;
  link.tabIndex = -1;
  const heading = document.createElement('strong');
  heading.textContent = title;
  const text = document.createElement('span');
  for (const { text: part, isMatch } of excerpt) {
    const node = isMatch ? document.createElement('mark') : document.createElement('span');
    node.textContent = part;
    text.append(node);
  }
  link.append(heading, text);
  option.append(link);
  return option;
}
