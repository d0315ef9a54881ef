import type { CallRecord } from '../../invocation/call-record.ts';
import type { CallFilter, Journal, KeyClaim } from '../../invocation/journal.ts';
import { measureJson } from '../../policy/measure-json.ts';

export interface MemoryJournalOptions {
  /** The oldest calls are forgotten beyond this; 10 000. */
  readonly maxCalls?: number;
  /** Larger results are not kept; 65 536. */
  readonly maxResultBytes?: number;
}

/** A journal that lasts as long as the process. */
export function createMemoryJournal(options: MemoryJournalOptions = {}): Journal {
  const { maxCalls = 10_000, maxResultBytes = 65_536 } = options;
  const calls = new Map<string, CallRecord>();
  const claims = new Map<string, KeyClaim>();
  return {
    async write(record) {
      calls.set(record.id, withoutBigResult(record, maxResultBytes));
      if (calls.size <= maxCalls) return;
      const oldest = calls.keys().next().value;
      if (oldest !== undefined) calls.delete(oldest);
    },
    async get(id) {
      return calls.get(id);
    },
    async list(filter = {}) {
      const found: CallRecord[] = [];
      const { limit = 100, before } = filter;
      const newestFirst = [...calls.values()].reverse();
      const start = before === undefined ? 0 : newestFirst.findIndex((record) => record.id === before) + 1;
      for (const record of newestFirst.slice(start)) {
        if (found.length >= limit) break;
        if (matches(record, filter)) found.push(record);
      }
      return found;
    },
    async claim(claim) {
      const name = JSON.stringify([claim.caller, claim.key]);
      const taken = claims.get(name);
      if (!taken) claims.set(name, claim);
      const oldest = claims.size > maxCalls ? claims.keys().next().value : undefined;
      if (oldest !== undefined) claims.delete(oldest);
      return taken;
    },
  };
}

function withoutBigResult(record: CallRecord, maxBytes: number): CallRecord {
  const { result, ...rest } = record;
  if (result === undefined || !measureJson(result, { maxBytes, maxDepth: 512 }).exceeded) return record;
  return { ...rest, resultOmitted: true };
}

function matches(record: CallRecord, filter: CallFilter): boolean {
  return (
    (filter.server === undefined || record.server === filter.server) &&
    (filter.tool === undefined || record.tool === filter.tool || record.originalName === filter.tool) &&
    (filter.status === undefined || record.status === filter.status) &&
    (filter.caller === undefined || record.caller.id === filter.caller) &&
    (filter.since === undefined || record.createdAt >= filter.since) &&
    (filter.until === undefined || record.createdAt < filter.until)
  );
}
