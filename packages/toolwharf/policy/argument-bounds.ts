import type { JsonBounds } from './measure-json.ts';

/** The bounds of the arguments of a call. */
export const argumentBounds: JsonBounds = { maxBytes: 4 * 1024 * 1024, maxDepth: 128 };
