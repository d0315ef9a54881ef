import { z } from 'zod';
import { callerSchema, changeSchema } from './common.ts';
import { answer, body, isoTime, json, list } from './named.ts';

export const warningSchema = answer(
  'DefinitionWarning',
  z.strictObject({
    rule: z.enum([
      'hidden-characters',
      'look-alike-name',
      'excessive-length',
      'encoded-text',
      'overrides-instructions',
      'hides-from-user',
      'skips-approval',
      'wants-secrets',
      'commands-other-tools',
      'sends-data-out',
    ]),
    severity: z.enum(['high', 'medium', 'low']),
    where: z.string().describe('A JSON pointer into the definition.'),
    excerpt: z.string().describe('The words it is about, safe to show.'),
  }),
);

export const toolSchema = answer(
  'Tool',
  z.strictObject({
    name: z.string().describe('The name to call it by.'),
    title: z.string().optional(),
    description: z.string(),
    server: z.string().optional().describe('None for a tool of the program itself.'),
    originalName: z.string(),
    parameters: json.describe('JSON Schema of the arguments.'),
    outputSchema: json.optional(),
    annotations: json.optional(),
    definitionHash: z.string(),
    limits: z.strictObject({ maxInstances: z.int(), timeoutMs: z.int() }),
    changed: z
      .enum(['quarantine', 'ask'])
      .optional()
      .describe('The definition is not the accepted one: it does not run, or asks first.'),
    changes: list(changeSchema).optional(),
    rejected: z.boolean().optional().describe('The change was refused: calls are denied until it is accepted.'),
    warnings: list(warningSchema)
      .optional()
      .describe('What is suspicious about the definition. A reason to look at it, not a verdict.'),
  }),
);

export type ToolView = z.input<typeof toolSchema>;

export const toolListSchema = answer('ToolList', z.strictObject({ tools: list(toolSchema) }));

export const callInputSchema = body(
  'CallInput',
  z.strictObject({
    arguments: json.optional(),
    idempotencyKey: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Same key and arguments give the first result again; other arguments are a conflict.'),
    callId: z
      .uuid()
      .optional()
      .describe('The id the call shall have, so that it can be followed while it runs; a new one for each call.'),
  }),
);

const truncationSchema = answer(
  'Truncation',
  z.strictObject({
    shownBytes: z.int().describe('The size of this result as JSON.'),
    totalBytes: z.int().describe('The size of the whole result as JSON; `readCallResult` reads it in pages.'),
  }),
);

export const callResultSchema = answer(
  'CallResult',
  z.strictObject({
    callId: z.string(),
    isError: z.boolean().describe('The tool itself reported a failure.'),
    content: list(json),
    text: z.string().describe('The text of all content.'),
    structuredContent: z.unknown().optional(),
    truncated: truncationSchema.optional().describe('Set when this is not the whole result.'),
    _meta: json.optional(),
  }),
);

export const resultPageSchema = answer(
  'ResultPage',
  z.strictObject({
    text: z.string().describe("This part of the result's JSON."),
    offset: z.int(),
    totalLength: z.int(),
    nextOffset: z.int().optional().describe('Where the next page starts; none on the last.'),
  }),
);

export const callStatus = z.enum(['pending', 'running', 'success', 'error']);

export const callEnd = z.enum(['tool', 'denied', 'cancelled', 'timeout', 'invalid', 'unknown-outcome', 'failed']);

export const callParentSchema = z.strictObject({ kind: z.enum(['call', 'answer']), id: z.string() });

export const callSchema = answer(
  'Call',
  z.strictObject({
    id: z.string(),
    server: z.string().optional(),
    tool: z.string(),
    originalName: z.string(),
    caller: callerSchema,
    parent: callParentSchema
      .optional()
      .describe('The chain, composed tool or answer of an assistant that made this call.'),
    arguments: json,
    definitionHash: z.string(),
    status: callStatus,
    end: callEnd.optional().describe('Why it ended as `error`.'),
    createdAt: isoTime,
    startedAt: isoTime.optional(),
    completedAt: isoTime.optional(),
    result: json.optional().describe('Not in lists.'),
    truncated: truncationSchema.optional().describe('Set when `result` is not the whole result.'),
    resultOmitted: z.boolean().optional().describe('There was a result, too big to be kept.'),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    idempotencyKey: z.string().optional(),
  }),
);

export const callListSchema = answer(
  'CallList',
  z.strictObject({
    calls: list(callSchema),
    next: z.string().optional().describe('Send it as `before` to get the page after this one; none on the last.'),
  }),
);

const countsShape = {
  success: z.int(),
  error: z.int().describe('Calls that failed: tool errors, timeouts, server errors and unknown outcomes.'),
  denied: z.int().describe('Calls that a rule or a person denied.'),
  invalid: z.int().describe('Calls whose arguments were invalid. They were never sent.'),
  cancelled: z.int().describe('Calls that the caller cancelled.'),
  p50Ms: z.int().optional().describe('The time that half of the calls stayed under, from being sent to being ended.'),
  p95Ms: z.int().optional(),
};

export const callStatsSchema = answer(
  'CallStats',
  z.strictObject({
    since: isoTime,
    until: isoTime,
    bucketMs: z.int(),
    buckets: list(z.strictObject({ start: isoTime, ...countsShape })).describe('Oldest first, without gaps.'),
    totals: z.strictObject({ calls: z.int().describe('Those that have not ended are in it too.'), ...countsShape }),
    tools: list(
      z.strictObject({
        tool: z.string(),
        server: z.string().optional(),
        originalName: z.string(),
        calls: z.int(),
        ...countsShape,
      }),
    ).describe('The busiest tools first, 20 at most.'),
    truncated: z.boolean().describe('There were more calls than are looked at: the latest ones are counted.'),
  }),
);

export type CallStats = z.input<typeof callStatsSchema>;
