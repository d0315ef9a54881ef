import { z } from 'zod';
import { dataSourceSchema } from '../../contract/api/data-flows.ts';
import { callEnds, callerKinds, callStatuses, recordKinds, taskStatuses } from '../../contract/calls.ts';
import { assistantSchema } from '../../contract/records/assistant.ts';
import { contentDirections, pluginModes, policyActions, redactions } from '../../contract/settings/choices.ts';
import { transports } from '../../contract/settings/transports.ts';
import type { CallRecord } from '../invocation/call-record.ts';
import type { ToolDefinition } from '../kernel/tool.ts';

const json = z.record(z.string(), z.unknown());
const time = z.iso.datetime();

/** The transports that a server can have. */
export const transportSchema = z.enum(transports);

/** A tool as its server defines it. Unknown fields are kept. */
export const toolDefinitionSchema = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: json,
  outputSchema: json.optional(),
  annotations: json.optional(),
}) satisfies z.ZodType<ToolDefinition>;

/** A resource as its server lists it. Unknown fields are kept. */
export const resourceSchema = z.looseObject({
  uri: z.string(),
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});

/** A prompt as its server lists it. Unknown fields are kept. */
export const promptSchema = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        required: z.boolean().optional(),
      }),
    )
    .optional(),
});

/** The lists of a server: its tools, resources and prompts. */
export const serverContentSchema = z.object({
  tools: z.array(toolDefinitionSchema).default([]),
  resources: z.array(resourceSchema).default([]),
  prompts: z.array(promptSchema).default([]),
});

/** A record of a tool call in the shape of the platform document (`MCPToolCallSchema`), for programs that keep such records. */
export const toolCallSchema = z.object({
  id: z.string(),
  serverId: z.uuid(),
  toolName: z.string(),
  arguments: json,
  status: z.enum(callStatuses),
  startedAt: time,
  completedAt: time.optional(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});

/** The record of a call, as `toolbox.calls.list`, the event `call.changed` and the REST API contain it. */
export const callRecordSchema = z.object({
  id: z.string(),
  kind: z.enum(recordKinds).optional(),
  server: z.string().optional(),
  tool: z.string(),
  originalName: z.string(),
  caller: z.object({
    id: z.string(),
    kind: z.enum(callerKinds),
    name: z.string().optional(),
    conversation: z.string().optional(),
    user: z.string().optional(),
    client: z.object({ name: z.string(), version: z.string().optional() }).optional(),
  }),
  replica: z.string().optional(),
  ranOn: z.string().optional(),
  account: z.object({ id: z.string(), label: z.string() }).optional(),
  parent: z.object({ kind: z.enum(['call', 'answer']), id: z.string() }).optional(),
  arguments: json,
  definitionHash: z.string(),
  status: z.enum(callStatuses),
  end: z.enum(callEnds).optional(),
  createdAt: time,
  startedAt: time.optional(),
  completedAt: time.optional(),
  result: json.optional(),
  truncated: z.object({ shownBytes: z.int(), totalBytes: z.int() }).optional(),
  resultOmitted: z.boolean().optional(),
  isPreview: z.boolean().optional(),
  extraParams: json.optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  idempotencyKey: z.string().optional(),
  rule: z.string().optional(),
  changedBy: z
    .object({ arguments: z.array(z.string()).readonly().optional(), result: z.array(z.string()).readonly().optional() })
    .optional(),
  profile: z.string().optional(),
  policy: z
    .array(
      z.object({
        id: z.string(),
        effect: z.enum([...policyActions, 'allow']),
        mode: z.enum(pluginModes),
        failed: z.literal(true).optional(),
        flow: z.literal(true).optional(),
      }),
    )
    .readonly()
    .optional(),
  redaction: z
    .array(
      z.object({
        class: z.string(),
        rule: z.string(),
        direction: z.enum(contentDirections),
        action: z.enum(redactions),
        count: z.int(),
      }),
    )
    .readonly()
    .optional(),
  labels: z.array(z.string()).readonly().optional(),
  contextLabels: z.array(z.string()).readonly().optional(),
  sources: z.array(dataSourceSchema).readonly().optional(),
  task: z
    .union([
      z.object({ contextId: z.string(), messageId: z.string(), skill: z.string() }),
      z.object({ profile: z.string(), ttlMs: z.int() }),
    ])
    .optional(),
  upstreamTask: z.object({ id: z.string(), status: z.enum(taskStatuses), message: z.string().optional() }).optional(),
  awaiting: z.object({ approval: z.string(), profile: z.string(), calledAs: z.string() }).optional(),
  approval: z
    .object({
      id: z.string(),
      answer: z.enum(['allow', 'deny']),
      by: z.string().optional(),
      originalArguments: json.optional(),
    })
    .optional(),
  script: z.object({ profile: z.string(), calledAs: z.string(), continued: z.int().optional() }).optional(),
  step: z.object({ number: z.int(), hash: z.string(), known: z.string() }).optional(),
}) satisfies z.ZodType<CallRecord>;

/** The tools of an assistant: its servers, its approval mode (`always-ask` by default) and its trusted tools. */
export const assistantToolsSchema = assistantSchema.pick({ serverIds: true, toolApproval: true, trustedTools: true });
