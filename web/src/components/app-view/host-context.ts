import type { McpUiHostContext, McpUiStyles } from '@modelcontextprotocol/ext-apps/app-bridge';

/** The colours of this page under the names that apps know. */
const variables: Readonly<Record<string, string>> = {
  '--color-background-primary': '--surface',
  '--color-background-secondary': '--sunken',
  '--color-background-tertiary': '--page',
  '--color-background-info': '--info-soft',
  '--color-background-danger': '--bad-soft',
  '--color-background-success': '--good-soft',
  '--color-background-warning': '--warn-soft',
  '--color-text-primary': '--ink',
  '--color-text-secondary': '--ink-soft',
  '--color-text-tertiary': '--ink-faint',
  '--color-text-info': '--info',
  '--color-text-danger': '--bad',
  '--color-text-success': '--good',
  '--color-text-warning': '--warn',
  '--color-border-primary': '--line',
  '--color-border-secondary': '--line-strong',
  '--color-ring-primary': '--accent',
};

/** The colour scheme of this page for an app. */
export function readColours(): Pick<McpUiHostContext, 'theme' | 'styles'> {
  const style = getComputedStyle(document.documentElement);
  const named = Object.entries(variables).map(([name, own]) => [name, style.getPropertyValue(own).trim()]);
  return {
    theme: document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
    styles: {
      variables: { ...Object.fromEntries(named), '--font-sans': 'system-ui, sans-serif' } as McpUiStyles,
    },
  };
}

/** Calls back whenever the colour scheme changes; returns the function that stops it. */
export function watchColours(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
