import { translations } from './translations.ts';

const key = 'toolwharf.language';
const isBrowser = typeof document !== 'undefined';
const chosen = (isBrowser && localStorage.getItem(key)) || undefined;
const preferred: readonly string[] = isBrowser ? navigator.languages.filter(isLocale) : ['en'];

/** The codes of all languages of the app. */
export const languages: readonly string[] = ['en', ...Object.keys(translations)];

/** The language of the texts: the one chosen in Settings, or the first of the browser's that the app has. */
export const language = chooseLanguage(chosen === undefined ? preferred : [chosen], languages);

/** The locale of dates and numbers: the browser's, unless another language was chosen. */
export const locale =
  (chosen === undefined ? preferred[0] : preferred.find((wanted) => baseOf(wanted) === baseOf(language))) ?? language;

/** Stores the choice and loads the page again in that language. */
export function applyLanguage(code: string): void {
  localStorage.setItem(key, code);
  location.reload();
}

/** The name of a language in that language: "Deutsch". */
export function nameLanguage(code: string): string {
  return new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
}

/** The first wanted language that is available, also in another region; otherwise English. */
export function chooseLanguage(wanted: readonly string[], available: readonly string[]): string {
  for (const code of wanted) {
    const found = available.find((one) => one === code) ?? available.find((one) => baseOf(one) === baseOf(code));
    if (found !== undefined) return found;
  }
  return 'en';
}

/** False for the "en-US@posix" of some systems, which `Intl` rejects. */
function isLocale(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

function baseOf(code: string): string {
  return code.split('-')[0] ?? code;
}
