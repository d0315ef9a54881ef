import { useSyncExternalStore } from 'react';

function watch(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** The colour scheme that the page is shown in, for what has to be drawn anew when it changes. */
export function useShownTheme(): string | undefined {
  return useSyncExternalStore(watch, () => document.documentElement.dataset.theme);
}
