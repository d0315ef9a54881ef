import { randomUUID } from 'node:crypto';
import { messageOf } from '../../../contract/errors.ts';
import type { AuditDestination } from '../../../contract/settings/audit-export-schema.ts';
import type { Environment } from '../../../toolwharf/config/references.ts';
import { type Clock, systemClock } from '../../../toolwharf/kernel/clock.ts';
import { toJsonText } from '../../../toolwharf/kernel/exact-json.ts';
import type { Log } from '../../../toolwharf/kernel/log.ts';
import type { AuditEntry } from '../../../toolwharf/storage/ports/audit.ts';
import type { PluginRecord, RecordStore, Stored } from '../../../toolwharf/storage/ports/record-store.ts';
import type { Storage } from '../../../toolwharf/storage/storage.ts';
import { openDestination } from './destinations.ts';
import { toOcsf } from './to-ocsf.ts';

export interface ExportPorts {
  readonly storage: Pick<Storage, 'audit' | 'openPluginRecords'>;
  readonly log: Log;
  readonly stopping: AbortSignal;
  readonly env: Environment;
  readonly clock?: Clock;
  /** How often the journal is read for new entries; 2 000. */
  readonly pollMs?: number;
  /** How long a replica that is gone keeps its turn; 30 000. */
  readonly leaseMs?: number;
}

/** How far a destination has the journal, and which replica exports. */
interface Position extends PluginRecord {
  readonly seq: number;
  readonly holder?: string;
  readonly until: number;
}

const batchSize = 200;
const maxBackoffMs = 60_000;

/**
 * Exports the journal to one destination, in order. The position is stored after each batch that the destination has taken, so that a
 * crash repeats a batch and loses none. Of several replicas, the one that holds the lease exports.
 */
export function startExport(
  destination: AuditDestination,
  { storage, log, stopping, env, clock = systemClock, pollMs = 2_000, leaseMs = 30_000 }: ExportPorts,
) {
  const positions = storage.openPluginRecords('toolwharf.audit-export', 'positions', {}) as Pick<
    RecordStore<Position>,
    'get' | 'replace'
  >;
  const { name: id, format = 'ocsf' } = destination;
  const self = randomUUID();
  const target = openDestination(destination, env);
  let failures = 0;

  /** The position if this replica may export; undefined while another one does. */
  async function takeTurn(): Promise<Stored<Position> | undefined> {
    const before = await positions.get(id);
    const isTaken = before?.holder !== undefined && before.holder !== self && before.until > clock.now();
    if (isTaken) return undefined;
    return positions.replace({ id, seq: before?.seq ?? 0, ...lease() }, before?.revision ?? 0);
  }

  const lease = () => ({ holder: self, until: clock.now() + leaseMs });

  /** Exports what there is; returns whether there may be more at once. */
  async function exportSome(): Promise<boolean> {
    const position = await takeTurn();
    if (!position) return false;
    const { anchor } = await storage.audit.ends();
    if (position.seq > 0 && anchor.seq > position.seq)
      log.error(
        'audit-export.gap',
        `Entries ${position.seq + 1} to ${anchor.seq} of the journal were removed before '${id}' had them: keep more with gateway.retention`,
        { destination: id },
      );
    const entries: AuditEntry[] = [];
    for await (const entry of storage.audit.export({ after: position.seq, limit: batchSize })) entries.push(entry);
    const last = entries.at(-1);
    if (!last) return false;
    // A destination that is slower than the lease: another replica may send the same batch, and nothing is lost.
    await target.send(
      entries.map((entry) => toLine(entry, format)),
      AbortSignal.any([stopping, AbortSignal.timeout(leaseMs)]),
    );
    const stored = await positions.replace({ id, seq: last.seq, ...lease() }, position.revision);
    return stored !== undefined && entries.length === batchSize;
  }

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      let hasMore = false;
      try {
        hasMore = await exportSome();
        if (failures > 0)
          log.info('audit-export.resumed', `The journal is exported to '${id}' again`, { destination: id });
        failures = 0;
      } catch (cause) {
        if (stopping.aborted) break;
        failures++;
        const message = `The journal could not be exported to '${id}', and is tried again: ${messageOf(cause)}`;
        if (failures === 1) log.error('audit-export.failed', message, { destination: id });
      }
      const waitMs = failures > 0 ? Math.min(pollMs * 2 ** failures, maxBackoffMs) : pollMs;
      if (!hasMore) await clock.sleep(waitMs, stopping).catch(() => {});
    }
    // The next replica need not wait for the lease to expire.
    const position = await positions.get(id);
    if (position?.holder === self) await positions.replace({ id, seq: position.seq, until: 0 }, position.revision);
  }

  const running = run().catch((cause) =>
    log.error('audit-export.failed', `The export to '${id}' ended: ${messageOf(cause)}`, { destination: id }),
  );
  return { close: () => running };
}

function toLine(entry: AuditEntry, format: 'ocsf' | 'json'): { readonly at: string; readonly text: string } {
  return { at: entry.at, text: format === 'json' ? toJsonText(entry) : JSON.stringify(toOcsf(entry)) };
}
