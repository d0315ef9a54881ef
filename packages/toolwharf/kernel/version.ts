/** The version of this package. `npm run release` writes it, so that a bundled library needs no file. */
export const version = '0.2.0';

/** The `User-Agent` of HTTP requests to servers. */
export const userAgent = `toolwharf/${version}`;
