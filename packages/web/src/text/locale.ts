/** The locale of dates and numbers: the browser's. */
export const locale = (typeof navigator === 'undefined' ? [] : navigator.languages).find(isLocale) ?? 'en';

/** False for the "en-US@posix" of some systems, which `Intl` rejects. */
function isLocale(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}
