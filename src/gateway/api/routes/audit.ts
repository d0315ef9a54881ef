import { z } from 'zod';
import { readState } from '../../../storage/audit/tracked-state.ts';
import type { AuditEntry, AuditFinding } from '../../../storage/ports/audit.ts';
import { route } from '../route.ts';
import { answer, isoTime, json, list } from '../schemas/named.ts';

const findingSchema = answer(
  'AuditFinding',
  z.strictObject({
    seq: z.number().describe('The number of the entry; 0 for a finding that belongs to none.'),
    kind: z.enum(['changed', 'missing', 'torn', 'order']),
    detail: z.string(),
  }),
);

const verificationSchema = answer(
  'AuditVerification',
  z.strictObject({ findings: list(findingSchema).describe('Empty if the journal is intact.') }),
);

const entrySchema = answer(
  'AuditEntry',
  z.strictObject({
    seq: z.number(),
    callId: z.string(),
    at: isoTime,
    record: z
      .union([json, z.string()])
      .describe('The record as of this step, or a signed act; the remaining text if the entry is torn.'),
    previous: z.string().describe('The hash of the entry before it.'),
    hash: z.string(),
  }),
);

const entryListSchema = answer(
  'AuditEntries',
  z.strictObject({
    entries: list(entrySchema),
    next: z.number().optional().describe('`after` of the next page; absent on the last one.'),
  }),
);

const linkSchema = answer('AuditLink', z.strictObject({ seq: z.number(), hash: z.string() }));

const auditStateSchema = answer(
  'AuditState',
  z.strictObject({
    anchor: linkSchema.describe('The last entry that retention removed.'),
    head: linkSchema.describe('The last entry.'),
    state: z
      .record(z.string(), z.string())
      .describe('The hashes of rules, keys, profiles, tool overrides and unused approvals, by subject.'),
  }),
);

const shared = { right: 'admin', group: 'audit' } as const;

/** A page ends after the entry that reaches this size. */
const maxPageLength = 1_000_000;
/** A journal that was replaced differs everywhere: the first findings say enough. */
const maxFindings = 1_000;

export const auditRoutes = [
  route({
    ...shared,
    operationId: 'verifyAudit',
    method: 'get',
    path: '/api/audit/verification',
    summary: 'Reads the whole journal and returns entries that were changed or removed, at most 1000.',
    answer: verificationSchema,
    async handle({ signal }, { storage }) {
      const findings: AuditFinding[] = [];
      for await (const finding of storage.audit.verify()) {
        signal.throwIfAborted();
        if (findings.push(finding) === maxFindings) break;
      }
      return { findings };
    },
  }),
  route({
    ...shared,
    operationId: 'listAuditEntries',
    method: 'get',
    path: '/api/audit/entries',
    summary: 'Returns entries of the journal with their hashes, oldest first.',
    query: z.object({
      after: z.coerce.number().int().min(0).optional().describe('Start after the entry with this number.'),
      limit: z.coerce.number().int().min(1).max(500).default(500),
    }),
    answer: entryListSchema,
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
  route({
    ...shared,
    operationId: 'getAuditState',
    method: 'get',
    path: '/api/audit/state',
    summary: 'Returns the state that signed checkpoints are compared with.',
    answer: auditStateSchema,
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
  return typeof record === 'string' ? record : { ...record };
}
