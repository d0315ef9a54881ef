/** The directory of this package: two levels above this file, both in the sources and in the build. */
export const packageRoot = new URL('../../', import.meta.url);
