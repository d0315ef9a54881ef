import { readFileSync } from 'node:fs';
import { packageRoot } from './package-root.ts';

const manifest: { readonly version: string } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));

/** The version of this package, as told to servers and printed by the CLI. */
export const version: string = manifest.version;

/** How we name ourselves to servers over HTTP. */
export const userAgent = `toolwharf/${version}`;
