import { randomUUID } from 'node:crypto';
import type { CallRecord } from '../../invocation/call-record.ts';
import type { Journal } from '../../invocation/journal.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { Clock } from '../../kernel/clock.ts';
import { actPrefix } from '../audit/acts.ts';
import { limitResult } from '../call-records.ts';
import { callColumns } from '../chain/call-columns.ts';
import type { ChainSource, ListedCall } from '../chain/chain.ts';
import { type ChainStep, exportActs, exportChain, genesis, linkSteps } from '../chain/chain.ts';
import type { Link } from '../chain/chain-link.ts';
import { verifyChain } from '../chain/verify-chain.ts';
import type { Audit, RetainOptions } from '../ports/audit.ts';
import type { MemoryJournal } from './memory-journal.ts';

export interface MemoryChainOptions {
  readonly maxResultBytes: number;
  readonly clock: Clock;
  /** Maximum number of steps; the oldest are removed first; 30 000. */
  readonly maxSteps?: number;
}

/** A hash-chained journal in memory, with the same audit as a durable one. */
export function createMemoryChain(
  inner: MemoryJournal,
  options: MemoryChainOptions,
): { journal: Journal; audit: Audit } {
  const { maxResultBytes, clock, maxSteps = 30_000 } = options;
  const latest = new Map<string, ListedCall>();
  let steps: ChainStep[] = [];
  let anchor: Link = genesis;
  let head: Link = genesis;

  function append(callId: string, body: string, record?: CallRecord): void {
    const at = new Date(clock.now()).toISOString();
    for (const step of linkSteps(head, [{ callId, at, body }])) {
      steps.push(step);
      if (record) latest.set(callId, { ...callColumns(record), seq: step.seq });
      head = step;
    }
    // A tenth at a time: removing the first of a long list for each call would cost more than the call.
    if (steps.length > maxSteps) cut(Math.ceil(maxSteps / 10));
  }

  /** Removes the oldest steps, and the calls whose last step was among them. */
  function cut(count: number): number {
    const removed = steps.slice(0, count);
    steps = steps.slice(count);
    anchor = removed.at(-1) ?? anchor;
    const gone = new Set(
      removed.filter(({ callId, seq }) => latest.get(callId)?.seq === seq).map(({ callId }) => callId),
    );
    for (const id of gone) latest.delete(id);
    inner.forget(gone);
    return gone.size;
  }

  /** How many of the oldest steps may be removed. */
  function removable({
    maxAgeMs = Number.POSITIVE_INFINITY,
    maxCalls = Number.POSITIVE_INFINITY,
  }: RetainOptions): number {
    const ordered = [...latest.values()].sort((one, other) => other.seq - one.seq);
    const surplus = ordered[maxCalls]?.seq ?? 0;
    const open = ordered.findLast(({ status }) => status === 'pending' || status === 'running');
    const oldest = clock.now() - maxAgeMs;
    const first = steps.findIndex(
      ({ seq, at }) => (seq > surplus && Date.parse(at) >= oldest) || (open !== undefined && seq >= open.seq),
    );
    return first < 0 ? steps.length : first;
  }

  const source: ChainSource = {
    ends: async () => ({ anchor, head }),
    async steps(after, limit) {
      const start = Math.max(after - anchor.seq, 0);
      return steps.slice(start, start + limit);
    },
    async acts(after, upTo) {
      const among = steps.slice(Math.max(after - anchor.seq, 0), Math.max(upTo - anchor.seq, 0));
      return among.filter(({ callId }) => callId.startsWith(actPrefix));
    },
    listed: async (ids) => ids.map((id) => latest.get(id)).filter((call) => call !== undefined),
    orphans: async () => [],
  };

  return {
    journal: {
      ...inner,
      async write(record) {
        const kept = limitResult(record, maxResultBytes);
        await inner.write(kept);
        append(kept.id, canonicalJson(kept), kept);
      },
    },
    audit: {
      verify: () => verifyChain(source),
      export: (options) => exportChain(source, options),
      acts: (after) => exportActs(source, after),
      record: async (act) => append(`${actPrefix}${randomUUID()}`, JSON.stringify(act)),
      ends: () => source.ends(),
      async retain(options) {
        options.signal?.throwIfAborted();
        const count = removable(options);
        return { steps: count, calls: cut(count) };
      },
      // Open calls in memory end with their process.
      recover: async () => 0,
      takeScripts: () => [],
    },
  };
}
