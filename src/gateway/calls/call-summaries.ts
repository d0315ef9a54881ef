import type { CallEnd, CallRecord, CallStatus } from '../../invocation/call-record.ts';
import type { Journal } from '../../invocation/journal.ts';
import { createMutex } from '../../kernel/mutex.ts';

/** A call record without arguments and result. */
export interface CallSummary {
  readonly id: string;
  readonly tool: string;
  readonly server?: string;
  readonly originalName: string;
  readonly caller: string;
  readonly callerName?: string;
  readonly status: CallStatus;
  readonly end?: CallEnd;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The time from dispatch to completion. */
  readonly durationMs?: number;
}

/** An in-memory cache of the latest call summaries. It reads the journal once and then incrementally. */
export interface CallSummaries {
  /** Returns calls since a time, newest first. `truncated` is true if there were more than `maxCalls`. */
  since(time: number): Promise<{ readonly calls: readonly CallSummary[]; readonly truncated: boolean }>;
}

export interface CallSummariesOptions {
  readonly journal: Pick<Journal, 'list'>;
  /** Default: 20 000. */
  readonly maxCalls?: number;
  readonly now?: () => number;
}

interface Kept {
  readonly calls: Map<string, CallSummary>;
  readonly builtAt: number;
  checkedAt: number;
  /** The cache contains all calls since this time, unless `isFull`. */
  from: number;
  isFull: boolean;
}

const pageSize = 500;
/** The maximum age of cached data before a refresh. */
const freshMs = 3_000;
/** The cache is rebuilt after this time, because the journal deletes old calls. */
const keepMs = 600_000;

export function createCallSummaries(options: CallSummariesOptions): CallSummaries {
  const { journal, maxCalls = 20_000, now = Date.now } = options;
  let kept: Kept | undefined;
  const mutex = createMutex();

  /** Reads the pages of a time span, newest first. Returns false if the span has more calls than `room`. */
  async function read(into: Kept, span: { since: number; before?: string; room: number }): Promise<boolean> {
    let { before } = span;
    for (let count = 0; count < span.room; ) {
      const page = await journal.list({
        kind: 'calls',
        since: Number.isFinite(span.since) ? new Date(span.since).toISOString() : undefined,
        before,
        limit: pageSize,
      });
      for (const record of page) into.calls.set(record.id, toSummary(record));
      count += page.length;
      before = page.at(-1)?.id;
      if (page.length < pageSize) return true;
    }
    return false;
  }

  /** Reads new calls, and calls that had not ended at the last read. */
  async function refresh(into: Kept): Promise<void> {
    const checkedAt = now();
    const open = [...into.calls.values()].filter((call) => !isOver(call)).map(({ createdAt }) => createdAt);
    const newest = latest(into.calls, 1)[0]?.createdAt ?? into.from;
    await read(into, { since: Math.min(newest, ...open), room: maxCalls });
    into.checkedAt = checkedAt;
    const beyond = into.calls.size > maxCalls ? latest(into.calls, into.calls.size).slice(maxCalls) : [];
    for (const { id } of beyond) into.calls.delete(id);
    into.isFull ||= beyond.length > 0;
  }

  async function since(time: number) {
    if (kept && now() - kept.builtAt > keepMs) kept = undefined;
    if (!kept) {
      kept = { calls: new Map(), builtAt: now(), checkedAt: now(), from: time, isFull: false };
      kept.isFull = !(await read(kept, { since: time, room: maxCalls }));
    } else if (now() - kept.checkedAt >= freshMs) await refresh(kept);
    if (time < kept.from && !kept.isFull) {
      const before = latest(kept.calls, kept.calls.size).at(-1)?.id;
      const room = maxCalls - kept.calls.size;
      kept.isFull = !(await read(kept, { since: time, room, before }));
      kept.from = time;
    }
    const calls = latest(kept.calls, maxCalls);
    const truncated = kept.isFull && time < (calls.at(-1)?.createdAt ?? time);
    return { calls: calls.filter(({ createdAt }) => createdAt >= time), truncated };
  }

  return {
    since(time) {
      return mutex(() => since(time)).catch((cause) => {
        kept = undefined;
        throw cause;
      });
    },
  };
}

function latest(calls: ReadonlyMap<string, CallSummary>, count: number): CallSummary[] {
  return [...calls.values()].sort((one, other) => other.createdAt - one.createdAt).slice(0, count);
}

function isOver({ status }: CallSummary): boolean {
  return status === 'success' || status === 'error';
}

function toSummary(record: CallRecord): CallSummary {
  const { id, tool, server, originalName, caller, status, end, createdAt, startedAt, completedAt } = record;
  const isTimed = startedAt !== undefined && completedAt !== undefined;
  return {
    id,
    tool,
    server,
    originalName,
    caller: caller.id,
    callerName: caller.name,
    status,
    end,
    createdAt: Date.parse(createdAt),
    durationMs: isTimed ? Date.parse(completedAt) - Date.parse(startedAt) : undefined,
  };
}
