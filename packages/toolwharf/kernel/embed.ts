/**
 * Turns texts into vectors of equal length, one for each text. Texts of similar meaning have vectors of similar direction. `kind` says
 * whether the texts describe tools and their servers, or are parts of a query: some models treat them differently. Rejects if it cannot.
 */
export type Embed = (texts: readonly string[], kind?: 'tool' | 'query') => Promise<readonly ArrayLike<number>[]>;
