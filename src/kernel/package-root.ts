/** The directory of this package. Sources and what is built of them lie two levels below it, where this file's code may be. */
export const packageRoot = new URL('../../', import.meta.url);
