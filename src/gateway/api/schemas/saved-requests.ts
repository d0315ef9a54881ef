import { z } from 'zod';
import { answer, body, isoTime, json, list } from './named.ts';

const nameSchema = z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters');
const sharedSchema = z.boolean().describe('Whether all callers see the request; only administrators can share.');

export const savedRequestInputSchema = body(
  'SavedRequestInput',
  z.strictObject({
    name: nameSchema,
    tool: z.string().min(1).max(500).describe("The tool's exposed name."),
    arguments: json.describe('At most 64 KiB as JSON.'),
    shared: sharedSchema.default(false),
  }),
);

export const savedRequestChangeSchema = body(
  'SavedRequestChange',
  z.strictObject({ name: nameSchema.optional(), arguments: json.optional(), shared: sharedSchema.optional() }),
);

export const savedRequestSchema = answer(
  'SavedRequest',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    tool: z.string(),
    arguments: json,
    shared: z.boolean(),
    isOwn: z.boolean().describe('Whether the caller saved it.'),
    canEdit: z.boolean().describe('Whether the caller can change and delete it: its owner, and administrators.'),
    createdAt: isoTime,
    updatedAt: isoTime,
  }),
);

export const savedRequestListSchema = answer(
  'SavedRequestList',
  z.strictObject({ requests: list(savedRequestSchema) }),
);
