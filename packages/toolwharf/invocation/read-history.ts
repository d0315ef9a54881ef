import type { JsonObject } from '../../contract/json.ts';
import type { Caller } from '../kernel/tool.ts';
import type { CallRecord } from './call-record.ts';
import type { Journal } from './journal.ts';

export interface HistoryPorts {
  readonly journal: Pick<Journal, 'list' | 'get'>;
  /** The ids of all callers of the person behind a caller, with that of the caller; only that one by default. */
  readonly findCallers?: (caller: Caller) => Promise<readonly string[]>;
}

interface Period {
  readonly since?: Date;
  readonly until?: Date;
}

const maxCalls = 1_000;

/** Reads the calls before a call that the same person or caller made, and that may have run, newest first. */
export function createReadHistory({ journal, findCallers = async ({ id }) => [id] }: HistoryPorts) {
  return async ({ id, caller }: Pick<CallRecord, 'id' | 'caller'>, { since, until }: Period) => {
    const callers = await findCallers(caller);
    const records = await journal.list({
      ...{ callers, kind: 'calls', since: since?.toISOString(), until: until?.toISOString(), limit: maxCalls + 1 },
    });
    const ran = records.filter(
      (record) => record.id !== id && record.startedAt !== undefined && record.kind !== 'search',
    );
    return { calls: ran.map((record) => toPastCall(record, journal)), isCut: records.length > maxCalls };
  };
}

function toPastCall(record: CallRecord, journal: HistoryPorts['journal']) {
  const { id, server, tool, originalName, createdAt } = record;
  return {
    ...{ server, tool, originalName, at: new Date(createdAt) },
    // Lists have previews of large records.
    async arguments(): Promise<JsonObject> {
      const whole = record.isPreview ? await journal.get(id) : record;
      return whole?.arguments ?? {};
    },
  };
}
