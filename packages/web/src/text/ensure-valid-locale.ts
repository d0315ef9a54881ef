/**
 * Replaces a browser language that `Intl` rejects. A browser started without a locale reports `en-US@posix`, and the plot library
 * fails to load with it.
 */
export function ensureValidLocale(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
