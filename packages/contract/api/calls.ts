import { z } from 'zod';
import { callEnds, callStatuses, recordKinds, taskStatuses } from '../calls.ts';
import { contentDirections, pluginModes, policyActions, redactions } from '../settings/choices.ts';
import { callerSchema } from './common.ts';
import { dataSourceSchema } from './data-flows.ts';
import { answer, body, isoTime, json, list } from './named.ts';

export const callInputSchema = body(
  'CallInput',
  z.strictObject({
    arguments: json.optional(),
    idempotencyKey: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The same key and arguments return the first result again; other arguments are a conflict.'),
    callId: z
      .uuid()
      .optional()
      .describe('A new id for the call, so that it can be watched and cancelled while it runs.'),
    account: z
      .string()
      .max(100)
      .optional()
      .describe(
        "The name of the caller's account to use, at a server with per-user credentials. Default: the default one.",
      ),
    detached: z.boolean().optional().describe('The call continues if the client disconnects. Default: false.'),
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
    isError: z.boolean().describe('True if the tool itself reported a failure.'),
    content: list(json),
    text: z.string().describe('The text of all content blocks.'),
    structuredContent: z.unknown().optional(),
    truncated: truncationSchema.optional().describe('Set when this is not the whole result.'),
    _meta: json.optional(),
  }),
);

export const resultPageSchema = answer(
  'ResultPage',
  z.strictObject({
    text: z.string().describe('This part of the JSON text.'),
    offset: z.int(),
    totalLength: z.int(),
    nextOffset: z.int().optional().describe('Offset of the next page; absent on the last page.'),
  }),
);

export const callStatus = z.enum(callStatuses);

export const callEnd = z.enum(callEnds);

export const callParentSchema = z
  .strictObject({ kind: z.enum(['call', 'answer']), id: z.string() })
  .describe("The call (of a chain or composed tool) or the assistant's answer that made this call.");

export const recordKind = z
  .enum(recordKinds)
  .optional()
  .describe(
    '`resource`, `prompt`: a read, with its URI or name in `arguments`. `search`: a search for tools or a description of tools, with the names of the tools in `result`. `administration`: `originalName` is the operation. Absent for calls of tools.',
  );

export const upstreamTaskSchema = z
  .strictObject({
    id: z.string().describe("The server's id of the task."),
    status: z.enum(taskStatuses),
    message: z.string().optional(),
  })
  .describe('The task in which the server runs the call.');

export const ruleId = z
  .string()
  .optional()
  .describe('The id of the remembered rule that allowed the call without asking.');

/** The fields that name the tool and the caller of a call. */
export const callFacts = {
  id: z.string(),
  kind: recordKind,
  server: z.string().optional(),
  tool: z.string(),
  originalName: z.string(),
  caller: callerSchema,
};

export const callSchema = answer(
  'Call',
  z.strictObject({
    ...callFacts,
    replica: z.string().optional().describe('The replica that received the call; absent if there can be no other.'),
    account: z
      .object({ id: z.string(), label: z.string() })
      .optional()
      .describe("The caller's account that the call used, at a server with per-user credentials."),
    ranOn: z.string().optional().describe('The replica that ran the call, if another one received it.'),
    parent: callParentSchema.optional(),
    arguments: json,
    isPreview: z
      .boolean()
      .optional()
      .describe('True in a list if the call is large and `arguments` are shortened; `getCall` returns all of them.'),
    definitionHash: z.string(),
    status: callStatus,
    end: callEnd.optional().describe('Why the call ended with status `error`.'),
    createdAt: isoTime,
    startedAt: isoTime.optional(),
    completedAt: isoTime.optional(),
    result: json.optional().describe('Omitted in lists.'),
    extraParams: json
      .optional()
      .describe("Members of the client's request that the protocol does not define, which the server got too."),
    truncated: truncationSchema.optional().describe('Set when `result` is not the whole result.'),
    resultOmitted: z.boolean().optional().describe('True if the result was too large to store.'),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    idempotencyKey: z.string().optional(),
    rule: ruleId,
    changedBy: z
      .strictObject({ arguments: list(z.string()).optional(), result: list(z.string()).optional() })
      .optional()
      .describe('The plugins that changed the arguments or the result.'),
    profile: z.string().optional().describe('The profile through which the call was made.'),
    policy: list(
      z.strictObject({
        id: z.string(),
        effect: z.enum([...policyActions, 'allow']),
        mode: z.enum(pluginModes),
        failed: z.literal(true).optional().describe('The condition of the rule had no value for this call.'),
        flow: z.literal(true).optional().describe('The rule is a data flow.'),
      }),
    )
      .optional()
      .describe('The rules of the policy that decided, or with the mode `shadow` would have decided.'),
    redaction: list(
      z.strictObject({
        class: z.string(),
        rule: z.string().describe('The name of the detector.'),
        direction: z.enum(contentDirections),
        action: z.enum(redactions),
        count: z.int().describe('How many values were detected.'),
      }),
    )
      .optional()
      .describe('What was detected in the arguments and the result, without the values.'),
    labels: list(z.string()).optional().describe('The labels that plugins gave the call.'),
    contextLabels: list(z.string()).optional().describe('The labels that the conversation had before the call.'),
    sources: list(dataSourceSchema)
      .optional()
      .describe('The earlier calls whose labelled results the arguments contain.'),
    task: z
      .union([
        z.strictObject({
          contextId: z.string(),
          messageId: z.string(),
          skill: z.string().describe("The caller's name for the tool."),
        }),
        z.strictObject({
          profile: z.string(),
          ttlMs: z.int().describe('How long the client can get the task, from `createdAt`.'),
        }),
      ])
      .optional()
      .describe('Set if the call is a task: over A2A (`contextId`), or over MCP (`ttlMs`).'),
    upstreamTask: upstreamTaskSchema.optional(),
    progress: z
      .strictObject({ progress: z.number(), total: z.number().optional(), message: z.string().optional() })
      .optional()
      .describe('The latest progress of a running call. Omitted in lists.'),
    awaiting: z
      .strictObject({ approval: z.string(), profile: z.string(), calledAs: z.string() })
      .optional()
      .describe('Set while the call waits for an approval and another replica can continue it.'),
    script: z
      .strictObject({ profile: z.string().optional(), calledAs: z.string(), continued: z.int().optional() })
      .optional()
      .describe('Set if the call is a script; `continued` counts how often another process has continued it.'),
    step: z
      .strictObject({
        number: z.int().describe('1 for the first call of the script.'),
        hash: z.string().describe('Hash of the tool and of the arguments that the script gave.'),
        known: z.string().describe('The calls whose outcomes the script knew, in the order in which it learnt them.'),
      })
      .optional()
      .describe('Set if a script made the call.'),
    approval: z
      .strictObject({
        id: z.string(),
        answer: z.enum(['allow', 'deny']),
        by: z.string().optional().describe('Who answered.'),
        originalArguments: json.optional().describe('The arguments that the caller sent, if the approver edited them.'),
      })
      .optional()
      .describe('The approval that a person answered for this call.'),
  }),
);

export const callListSchema = answer(
  'CallList',
  z.strictObject({
    calls: list(callSchema),
    next: z.string().optional().describe('Value of `before` for the next page; absent on the last page.'),
  }),
);

const countsShape = {
  success: z.int(),
  error: z.int().describe('Calls that failed: tool errors, timeouts and server errors.'),
  denied: z.int().describe('Calls that a rule or a person denied.'),
  expired: z.int().describe('Calls whose approval nobody answered in time.'),
  invalid: z.int().describe('Calls whose arguments were invalid. They were never sent.'),
  cancelled: z.int().describe('Calls that the caller cancelled.'),
  unknown: z.int().describe('Calls whose outcome is unknown: the connection broke after they were sent.'),
  p50Ms: z
    .int()
    .optional()
    .describe('Median call duration, from dispatch to result; from one second on rounded down to three digits.'),
  p95Ms: z.int().optional().describe('95th percentile of the call duration, rounded in the same way.'),
};

export const callStatsSchema = answer(
  'CallStats',
  z.strictObject({
    since: isoTime,
    until: isoTime,
    bucketMs: z.int(),
    buckets: list(z.strictObject({ start: isoTime, ...countsShape })).describe('Consecutive intervals, oldest first.'),
    totals: z.strictObject({ calls: z.int().describe('Includes calls that have not ended.'), ...countsShape }),
    tools: list(
      z.strictObject({
        tool: z.string(),
        server: z.string().optional(),
        originalName: z.string(),
        calls: z.int(),
        ...countsShape,
      }),
    ).describe('Up to 20 tools with the most calls, busiest first.'),
    servers: list(
      z.strictObject({
        server: z.string().optional().describe('Absent for local tools.'),
        calls: z.int(),
        ...countsShape,
      }),
    ).describe('Up to 20 servers with the most calls, busiest first.'),
    callers: list(
      z.strictObject({ caller: z.string(), name: z.string().optional(), calls: z.int(), ...countsShape }),
    ).describe('Up to 20 callers with the most calls, busiest first.'),
    durations: list(
      z.strictObject({
        upToMs: z.int().optional().describe('The longest duration that is counted here; absent for all longer ones.'),
        calls: z.int(),
      }),
    ).describe('The distribution of the call durations, shortest first.'),
  }),
);

export type CallStats = z.input<typeof callStatsSchema>;
