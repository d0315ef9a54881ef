export type Theme = 'system' | 'light' | 'dark';

const key = 'toolwharf.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Shows the page in a colour scheme; `system` follows the machine as it changes. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  show();
}

function show(): void {
  const theme = readTheme();
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

dark.addEventListener('change', show);
