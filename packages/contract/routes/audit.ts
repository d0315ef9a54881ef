import { z } from 'zod';
import { answer, isoTime, json, list } from '../api/named.ts';
import { defineRoutes } from './define-routes.ts';

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
      .describe(
        'The hashes of rules, keys, users, profiles, scripts, tool overrides, assistants, servers, model providers, pins and unused approvals, by subject; `unreadable/KIND` says why a kind cannot be read.',
      ),
  }),
);

const shared = { right: 'audit.read', group: 'audit' } as const;

export const auditRoutes = defineRoutes({
  verifyAudit: {
    ...shared,
    method: 'get',
    path: '/api/audit/verification',
    summary: 'Reads the whole journal and returns entries that were changed or removed, at most 1000.',
    answer: verificationSchema,
  },
  listAuditEntries: {
    ...shared,
    method: 'get',
    path: '/api/audit/entries',
    summary: 'Returns entries of the journal with their hashes, oldest first.',
    query: z.object({
      after: z.coerce.number<number>().int().min(0).optional().describe('Start after the entry with this number.'),
      limit: z.coerce.number<number>().int().min(1).max(500).default(500),
    }),
    answer: entryListSchema,
  },
  getAuditState: {
    ...shared,
    method: 'get',
    path: '/api/audit/state',
    summary: 'Returns the state that signed checkpoints are compared with.',
    answer: auditStateSchema,
  },
});
