import type { CallColumns } from './call-columns.ts';
import type { ChainStep, Link } from './chain-step.ts';

/** What checking and exporting a chain need of the place where it is kept. */
export interface ChainSource {
  /** The last step that was removed, and the last one that was written. */
  ends(): Promise<{ readonly anchor: Link; readonly head: Link }>;
  /** The steps after a number, in order. */
  steps(after: number, limit: number): Promise<readonly ChainStep[]>;
  /** The list of calls' word on these: what they are searched by, and which step that is from. */
  listed(callIds: readonly string[]): Promise<readonly ListedCall[]>;
  /** Some of the listed calls whose step is not there. */
  strays(): Promise<readonly { readonly id: string; readonly seq: number }[]>;
}

export type ListedCall = CallColumns & { readonly seq: number };
