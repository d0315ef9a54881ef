import { z } from 'zod';
import { answer, isoTime, json, list } from './named.ts';

const findingSchema = answer(
  'AuditFinding',
  z.strictObject({
    seq: z.number().describe('The number of the entry; 0 for a finding that belongs to none.'),
    kind: z.enum(['changed', 'missing', 'torn', 'order']),
    detail: z.string(),
  }),
);

export const verificationSchema = answer(
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

export const entryListSchema = answer(
  'AuditEntries',
  z.strictObject({
    entries: list(entrySchema),
    next: z.number().optional().describe('`after` of the next page; absent on the last one.'),
  }),
);

const linkSchema = answer('AuditLink', z.strictObject({ seq: z.number(), hash: z.string() }));

export const auditStateSchema = answer(
  'AuditState',
  z.strictObject({
    anchor: linkSchema.describe('The last entry that retention removed.'),
    head: linkSchema.describe('The last entry.'),
    state: z
      .record(z.string(), z.string())
      .describe('The hashes of rules, keys, profiles, tool overrides and unused approvals, by subject.'),
  }),
);
