import { readFileSync } from 'node:fs';

/** The directory of this package: two levels above this file, both in the sources and in the build. */
export const packageRoot = new URL('../../', import.meta.url);

const manifest: { readonly version: string } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));

/** The version of this package. */
export const version: string = manifest.version;

/** The `User-Agent` of HTTP requests to servers. */
export const userAgent = `toolwharf/${version}`;
