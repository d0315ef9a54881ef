import { z } from 'zod';
import { createAuthenticationSchema } from '../../../config/authentication-schema.ts';
import { connectedTransports, toolModes, transports } from '../../../config/config.ts';
import { serverName, text } from '../../../config/schema-parts.ts';
import { limitsSchema, rateSchema, serverShape } from '../../../config/server-schema.ts';
import { connectionStates, eras } from '../../../connections/status.ts';
import { answer, body, isoTime, json, list } from './named.ts';

/** Stands for a secret that is stored; sent back, it keeps the secret. */
export const maskSchema = z.strictObject({ set: z.literal(true) });

export type Mask = z.output<typeof maskSchema>;

const secret = z.union([text, maskSchema], { error: 'must be text, or {"set": true} to keep the stored value' });
const secrets = z.record(z.string(), secret);

const milliseconds = z.int().describe('Milliseconds.');

const inputShape = {
  name: serverName,
  ...serverShape,
  args: list(secret).optional().describe("The program's arguments."),
  env: secrets.optional().describe("The program's environment variables."),
  headers: secrets.optional().describe('Extra headers.'),
  authentication: createAuthenticationSchema(secret, secret).optional(),
  openapi: serverShape.openapi.describe('The URL of the OpenAPI document of an HTTP API.'),
};

/** A server as it is sent: a record whose secrets may be masks. */
export const serverInputSchema = body('ServerInput', z.strictObject(inputShape));

export type ServerInput = z.output<typeof serverInputSchema>;

export const serverTestInputSchema = body(
  'ServerTestInput',
  z.strictObject({
    ...inputShape,
    server: z.string().optional().describe('The stored server whose secrets the masks stand for.'),
  }),
);

export const importInputSchema = body(
  'ImportInput',
  z.strictObject({
    text: z
      .string()
      .min(1)
      .max(1_000_000)
      .describe('The configuration of an MCP client, or of ours, as it was copied.'),
  }),
);

/** A server that could be added, as `addServer` takes it. */
export const importedServerSchema = answer(
  'ImportedServer',
  z.strictObject({
    ...inputShape,
    transport: z.enum(transports),
    timeout: milliseconds.optional(),
    defaultToolConfig: limitsSchema.extend({ timeout: milliseconds.optional() }).optional(),
    rate: rateSchema.extend({ per: milliseconds }).optional(),
  }),
);

export const importedServersSchema = answer(
  'ImportedServers',
  z.strictObject({
    servers: list(importedServerSchema).describe('Each as `addServer` takes it.'),
    problems: list(
      z.strictObject({ name: z.string().optional().describe('Of the server it is about.'), message: z.string() }),
    ).describe('What was left out, and what to look at.'),
  }),
);

export const serverRecordViewSchema = answer(
  'ServerRecord',
  z.strictObject({
    name: z.string(),
    ...serverShape,
    transport: z.enum(transports),
    args: list(z.union([z.string(), maskSchema])).optional(),
    env: z.record(z.string(), maskSchema).optional(),
    url: z.string().optional().describe('Without its query, which may hold secrets.'),
    headers: z.record(z.string(), maskSchema).optional(),
    authentication: createAuthenticationSchema(maskSchema, maskSchema),
    openapi: z.string().optional().describe('Without its query, which may hold secrets.'),
    allowInsecure: z.boolean(),
    enabled: z.boolean(),
    timeout: milliseconds,
    retryAttempts: z.int(),
    defaultToolConfig: limitsSchema.extend({ timeout: milliseconds.optional() }).optional(),
    rate: rateSchema.extend({ per: milliseconds }).optional(),
    id: z.uuid(),
    lastConnectedAt: isoTime.optional(),
    createdAt: isoTime,
    updatedAt: isoTime,
  }),
);

export type ServerRecordView = z.input<typeof serverRecordViewSchema>;

export const statusSchema = answer(
  'ConnectionStatus',
  z.strictObject({
    state: z.enum(connectionStates),
    reason: z.string().optional(),
    code: z.string().optional(),
    signInUrl: z
      .string()
      .optional()
      .describe('Where a person must sign in before it can be connected; for administrators.'),
    since: isoTime,
    nextTryAt: isoTime.optional(),
    failures: z.int(),
    lastConnectedAt: isoTime.optional(),
    transport: z.enum(connectedTransports).optional(),
    era: z.enum(eras).optional(),
    protocolVersion: z.string().optional(),
    serverInfo: json.optional(),
    instructions: z.string().optional(),
    capabilities: json.optional(),
    pid: z.int().optional().describe('For administrators.'),
    connectMs: z.number().optional(),
  }),
);

const offeredSchema = answer(
  'OfferedList',
  z.strictObject({
    count: z.int(),
    stale: z.boolean(),
    rejected: list(z.strictObject({ name: z.string(), reason: z.string() })),
  }),
);

const offersSchema = z.strictObject({
  tools: offeredSchema.optional(),
  resources: offeredSchema.optional(),
  resourceTemplates: offeredSchema.optional(),
  prompts: offeredSchema.optional(),
});

export const serverSchema = answer(
  'Server',
  z.strictObject({
    id: z.string().describe("Of a stored server its record's id, which outlives a new name; of a file's its name."),
    name: z.string(),
    description: z.string().optional(),
    source: z.enum(['file', 'store']),
    readOnly: z.string().optional().describe('Why it cannot be changed here.'),
    problem: z.string().optional().describe('Why a stored server is not used.'),
    place: z.string().optional().describe('Its address or command, without secrets; for administrators.'),
    transport: z.enum(transports),
    enabled: z.boolean(),
    required: z.boolean(),
    trusted: z.boolean(),
    mode: z.enum(toolModes),
    status: statusSchema,
    offers: offersSchema,
    record: serverRecordViewSchema.optional().describe('What is stored, secrets masked; for administrators.'),
  }),
);

export type ServerView = z.input<typeof serverSchema>;

export const serverListSchema = answer('ServerList', z.strictObject({ servers: list(serverSchema) }));

export const serverTestSchema = answer(
  'ServerTest',
  z.strictObject({
    ok: z.boolean(),
    latencyMs: z.int().describe('From the start of the attempt until everything was read, or it failed.'),
    transport: z.enum(connectedTransports).optional(),
    era: z.enum(eras).optional(),
    protocolVersion: z.string().optional(),
    serverInfo: json.optional(),
    instructions: z.string().optional(),
    tools: list(
      z.strictObject({
        name: z.string(),
        title: z.string().optional(),
        description: z.string(),
        parameters: json,
        annotations: json.optional(),
      }),
    ),
    offers: offersSchema,
    problems: list(z.strictObject({ code: z.string(), message: z.string() })),
    stderr: list(z.string()),
  }),
);

export const stderrSchema = answer('ErrorOutput', z.strictObject({ lines: list(z.string()) }));

export const resourceListSchema = answer(
  'ResourceList',
  z.strictObject({ resources: list(json), resourceTemplates: list(json) }),
);

export const promptListSchema = answer('PromptList', z.strictObject({ prompts: list(json) }));

export const serverAnswerSchema = answer(
  'ServerAnswer',
  z.record(z.string(), z.unknown()).describe('The result as the server sent it.'),
);

export const promptArgumentsSchema = body(
  'PromptArguments',
  z.strictObject({ arguments: z.record(z.string(), z.string()).optional() }),
);

export const completionInputSchema = body(
  'CompletionInput',
  z.strictObject({
    ref: z.union([
      z.strictObject({ type: z.literal('ref/prompt'), name: z.string(), title: z.string().optional() }),
      z.strictObject({ type: z.literal('ref/resource'), uri: z.string() }),
    ]),
    argument: z.strictObject({ name: z.string(), value: z.string() }),
    context: z.strictObject({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
  }),
);
