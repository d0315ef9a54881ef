import { en, type Text } from './en.ts';
import { createGrammar } from './grammar.ts';
import { language, locale } from './language.ts';
import { translations } from './translations.ts';

const translation = await translations[language]?.();

/** The texts of the app in the user's language, by page: `text.calls.title`. */
export const text: Text = (translation?.default ?? en)(createGrammar(language, locale));

if (typeof document !== 'undefined') document.documentElement.lang = language;
