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

/** A journal in memory. */
export function createMemoryJournal(options: MemoryJournalOptions = {}): Journal {
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
      const listed: CallRecord[] = [];
      for (const record of newestFirst.slice(start)) {
        if (listed.length >= window.limit) break;
        if (isInWindow(record, filter, window)) listed.push(toListed(record));
      }
      return listed;
    },
    async claim(claim, unsent) {
      const name = JSON.stringify([claim.caller, claim.key]);
      const taken = claims.get(name);
      const isFree = !taken || (taken.callId === unsent?.callId && taken.claimedAt === unsent.claimedAt);
      if (!isFree) return taken;
      claims.set(name, { ...claim, claimedAt: (taken?.claimedAt ?? 0) + 1 });
      evictOldest(claims, maxCalls);
      return undefined;
    },
  };
}
