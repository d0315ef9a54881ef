import type { Text } from './en.ts';
import type { Grammar } from './grammar.ts';

/** The texts of one language. A catalog that lacks a text of the English one does not compile. */
export type Catalog = (grammar: Grammar) => Text;

/** The languages beside English by their code. The browser loads only the catalog of its user: `de: () => import('./de.ts')`. */
export const translations: Readonly<Record<string, () => Promise<{ readonly default: Catalog }>>> = {};
