import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseExactly, withText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { Link } from '../../../../toolwharf/storage/chain/chain-link.ts';
import type { AuditEntry, ExportOptions } from '../../../../toolwharf/storage/ports/audit.ts';
import type { CallColumns } from './call-columns.ts';

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

/** Read access to a chain, for verification and export. */
export interface ChainSource {
  /** The last removed step and the last written one. */
  ends(): Promise<{ readonly anchor: Link; readonly head: Link }>;
  /** The steps after a sequence number, in order. */
  steps(after: number, limit: number): Promise<readonly ChainStep[]>;
  /** The signed acts among the steps after a sequence number and up to another one, in order. */
  acts(after: number, upTo: number): Promise<readonly ChainStep[]>;
  /** The entries of these calls in the list of calls. */
  listed(callIds: readonly string[]): Promise<readonly ListedCall[]>;
  /** Some of the listed calls whose step is missing. */
  orphans(): Promise<readonly { readonly id: string; readonly seq: number }[]>;
}

/** A call in the list. Its outcome is null if a replica of a version without the column inserted it. */
export type ListedCall = Omit<CallColumns, 'outcome'> & {
  readonly outcome: CallColumns['outcome'] | null;
  readonly seq: number;
};

const pageSize = 200;

/** Yields every step after a sequence number, reading page by page. */
export async function* exportChain(source: ChainSource, options: ExportOptions = {}): AsyncGenerator<AuditEntry> {
  let { after = 0, limit: left = Number.POSITIVE_INFINITY } = options;
  while (left > 0) {
    const steps = await source.steps(after, Math.min(pageSize, left));
    if (steps.length === 0) return;
    for (const step of steps) yield toEntry(step);
    after = steps.at(-1)?.seq ?? after;
    left -= steps.length;
  }
}

/** How many steps are searched for acts at once: milliseconds on the main thread, where SQLite searches them. */
const searchedAtOnce = 2_000;

/** Yields every signed act after a sequence number. */
export async function* exportActs(source: ChainSource, after: number): AsyncGenerator<AuditEntry> {
  const { anchor, head } = await source.ends();
  for (let from = Math.max(after, anchor.seq); from < head.seq; from += searchedAtOnce) {
    for (const step of await source.acts(from, from + searchedAtOnce)) yield toEntry(step);
    await nextTurn();
  }
}

function toEntry({ seq, callId, at, body, previous, hash }: ChainStep): AuditEntry {
  return { seq, callId, at, record: toRecord(body), previous, hash };
}

function toRecord(body: string): AuditEntry['record'] {
  try {
    return withText(parseExactly(body), body) as AuditEntry['record'];
  } catch {
    return body;
  }
}
