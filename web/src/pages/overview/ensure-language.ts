/**
 * Gives the page a language that can be formatted for. A browser that was started without a locale names one that `Intl` refuses
 * (`en-US@posix`), and libraries that ask for it as they load would fail to.
 */
export function ensureLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
