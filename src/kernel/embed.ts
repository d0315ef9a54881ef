/**
 * Turns texts into vectors of equal length, one for each text. Texts of similar meaning have vectors of similar direction. Rejects
 * if it cannot.
 */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;
