import type { CallRecord } from '../../invocation/call-record.ts';
import type { Journal, KeyClaim } from '../../invocation/journal.ts';
import { evictOldest } from '../../kernel/evict-oldest.ts';
import { callWindow, isInWindow, limitResult, timeOf, toListed } from '../call-records.ts';

export interface MemoryJournalOptions {
  /** Maximum number of calls; the oldest are removed first; 10 000. */
  readonly maxCalls?: number;
  /** Larger results are left out; 65 536. */
  readonly maxResultBytes?: number;
}

export interface MemoryJournal extends Journal {
  /** Removes calls and their idempotency keys. */
  forget(ids: ReadonlySet<string>): void;
}

/** A journal in memory. */
export function createMemoryJournal(options: MemoryJournalOptions = {}): MemoryJournal {
  const { maxCalls = 10_000, maxResultBytes = 65_536 } = options;
  const calls = new Map<string, CallRecord>();
  const claims = new Map<string, KeyClaim>();
  return {
    async write(record) {
      calls.set(record.id, limitResult(record, maxResultBytes));
      if (calls.size <= maxCalls) return;
      const oldest = calls.keys().next().value;
      if (oldest !== undefined) calls.delete(oldest);
    },
    async get(id) {
      return calls.get(id);
    },
    async list(filter = {}) {
      const window = callWindow(filter);
      const newestFirst = [...calls.values()].reverse().sort((one, other) => timeOf(other) - timeOf(one));
      const start = filter.before === undefined ? 0 : newestFirst.findIndex(({ id }) => id === filter.before) + 1;
      // A call that was removed was removed together with all older ones.
      if (filter.before !== undefined && start === 0) return [];
      const found: CallRecord[] = [];
      for (const record of newestFirst.slice(start)) {
        if (found.length >= window.limit) break;
        if (isInWindow(record, filter, window)) found.push(toListed(record));
      }
      return found;
    },
    async claim(claim) {
      const name = JSON.stringify([claim.caller, claim.key]);
      const taken = claims.get(name);
      if (!taken) claims.set(name, claim);
      evictOldest(claims, maxCalls);
      return taken;
    },
    forget(ids) {
      for (const id of ids) calls.delete(id);
      for (const [name, { callId }] of claims) if (ids.has(callId)) claims.delete(name);
    },
  };
}
