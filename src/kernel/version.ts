import { readFileSync } from 'node:fs';
import { packageRoot } from './package-root.ts';

const manifest: { readonly version: string } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));

/** The version of this package. */
export const version: string = manifest.version;

/** The `User-Agent` of HTTP requests to servers. */
export const userAgent = `toolwharf/${version}`;
