import type { CallColumns } from './call-columns.ts';
import type { ChainStep, Link } from './chain-step.ts';

/** Read access to a chain, for verification and export. */
export interface ChainSource {
  /** The last removed step and the last written one. */
  ends(): Promise<{ readonly anchor: Link; readonly head: Link }>;
  /** The steps after a sequence number, in order. */
  steps(after: number, limit: number): Promise<readonly ChainStep[]>;
  /** The entries of these calls in the list of calls. */
  listed(callIds: readonly string[]): Promise<readonly ListedCall[]>;
  /** Some of the listed calls whose step is missing. */
  orphans(): Promise<readonly { readonly id: string; readonly seq: number }[]>;
}

export type ListedCall = CallColumns & { readonly seq: number };
