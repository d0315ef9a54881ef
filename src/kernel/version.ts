import { createRequire } from 'node:module';

/** The version of this package, as told to servers and printed by the CLI. */
export const version: string = (createRequire(import.meta.url)('../../package.json') as { version: string }).version;
