export type Theme = 'system' | 'light' | 'dark';

const key = 'toolwharf.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function readTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies and stores a colour scheme; `system` follows the operating system. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  show();
}

function show(): void {
  const theme = readTheme();
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

dark.addEventListener('change', show);
