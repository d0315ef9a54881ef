import { hash } from 'node:crypto';

/** Where a chain is: the number and the hash of a step. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** One write of one call. Its hash covers everything else in it, and so all steps before it. */
export interface ChainStep extends Link {
  readonly callId: string;
  readonly at: string;
  /** Canonical JSON of the call. */
  readonly body: string;
  readonly previous: string;
}

/** Before the first step. */
export const genesis: Link = { seq: 0, hash: '0'.repeat(64) };

/** The steps that follow `head`, in the order given. */
export function linkSteps(head: Link, writes: readonly Pick<ChainStep, 'callId' | 'at' | 'body'>[]): ChainStep[] {
  let { seq, hash: previous } = head;
  return writes.map(({ callId, at, body }) => {
    const step = { seq: ++seq, callId, at, body, previous };
    previous = hashStep(step);
    return { ...step, hash: previous };
  });
}

/** The hash that a step with this content has. */
export function hashStep({ seq, callId, at, body, previous }: Omit<ChainStep, 'hash'>): string {
  // One line of JSON, then the body: no two different steps give the same bytes.
  return hash('sha256', `${JSON.stringify([previous, seq, callId, at])}\n${body}`);
}
