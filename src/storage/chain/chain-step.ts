import { hash } from 'node:crypto';

/** A position in the chain: the number and the hash of a step. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** One write of one call. Its hash covers its content and the previous hash, and so all steps before it. */
export interface ChainStep extends Link {
  readonly callId: string;
  readonly at: string;
  /** Canonical JSON of the call. */
  readonly body: string;
  readonly previous: string;
}

/** The position before the first step. */
export const genesis: Link = { seq: 0, hash: '0'.repeat(64) };

/** Links writes to the chain after `head`. */
export function linkSteps(head: Link, writes: readonly Pick<ChainStep, 'callId' | 'at' | 'body'>[]): ChainStep[] {
  let { seq, hash: previous } = head;
  return writes.map(({ callId, at, body }) => {
    const step = { seq: ++seq, callId, at, body, previous };
    previous = hashStep(step);
    return { ...step, hash: previous };
  });
}

/** Computes the hash of a step. */
export function hashStep({ seq, callId, at, body, previous }: Omit<ChainStep, 'hash'>): string {
  // One line of JSON, then the body: the encoding is unambiguous.
  return hash('sha256', `${JSON.stringify([previous, seq, callId, at])}\n${body}`);
}
