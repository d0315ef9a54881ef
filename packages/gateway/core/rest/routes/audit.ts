import { auditRoutes as routes } from '../../../../contract/routes/audit.ts';
import { jsonTextOf, withText } from '../../../../toolwharf/kernel/exact-json.ts';
import type { AuditEntry, AuditFinding } from '../../../../toolwharf/storage/ports/audit.ts';
import { readState } from '../../storage/audit/tracked-state.ts';
import { implement } from '../route.ts';

/** A page ends after the entry that reaches this size. */
const maxPageLength = 1_000_000;
/** A journal that was replaced differs everywhere: the first findings say enough. */
const maxFindings = 1_000;

export const auditRoutes = [
  implement(routes.verifyAudit, {
    async handle({ signal }, { storage }) {
      const findings: AuditFinding[] = [];
      for await (const finding of storage.audit.verify()) {
        signal.throwIfAborted();
        if (findings.push(finding) === maxFindings) break;
      }
      return { findings };
    },
  }),
  implement(routes.listAuditEntries, {
    async handle({ query: { after, limit } }, { storage }) {
      const entries: AuditEntry[] = [];
      let length = 0;
      for await (const entry of storage.audit.export({ after, limit: limit + 1 })) {
        if (entries.length === limit || length >= maxPageLength) return toPage(entries, entries.at(-1)?.seq);
        entries.push(entry);
        length += JSON.stringify(entry).length;
      }
      return toPage(entries);
    },
  }),
  implement(routes.getAuditState, {
    async handle(_request, { storage }) {
      const { anchor, head } = await storage.audit.ends();
      return { anchor: toLink(anchor), head: toLink(head), state: Object.fromEntries(await readState(storage)) };
    },
  }),
];

function toLink({ seq, hash }: { readonly seq: number; readonly hash: string }) {
  return { seq, hash };
}

function toPage(entries: readonly AuditEntry[], next?: number) {
  return { entries: entries.map((entry) => ({ ...entry, record: toJson(entry.record) })), next };
}

function toJson(record: AuditEntry['record']): string | Record<string, unknown> {
  return typeof record === 'string' ? record : withText({ ...record }, jsonTextOf(record));
}
