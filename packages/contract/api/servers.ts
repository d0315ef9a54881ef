import { z } from 'zod';
import { connectionStates, eras, failureCauses } from '../connections.ts';
import { createAuthenticationSchema } from '../settings/authentication-schema.ts';
import { toolModes } from '../settings/choices.ts';
import { sandboxSettingsSchema } from '../settings/sandbox-schema.ts';
import { serverName, text } from '../settings/schema-parts.ts';
import { limitsSchema, rateSchema, serverShape } from '../settings/server-schema.ts';
import { allTransports, connectedTransports, transports } from '../settings/transports.ts';
import { answer, body, isoTime, json, list, revision, revisionRead } from './named.ts';

/** Replaces a stored secret in responses; sent back, it keeps the secret. */
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

/** A server in a request; its secrets may be masks. */
export const serverInputSchema = body('ServerInput', z.strictObject(inputShape));

export type ServerInput = z.output<typeof serverInputSchema>;

/** The settings of a stored server to replace. */
export const serverChangeSchema = body('ServerChange', z.strictObject({ ...inputShape, revision: revisionRead }));

export const serverTestInputSchema = body(
  'ServerTestInput',
  z.strictObject({
    ...inputShape,
    server: z.string().optional().describe('The stored server that masked secrets refer to.'),
  }),
);

export const importInputSchema = body(
  'ImportInput',
  z.strictObject({
    text: z.string().min(1).max(1_000_000).describe('The configuration of an MCP client or of Toolwharf.'),
  }),
);

/** A server in the format of `addServer`. */
export const importedServerSchema = answer(
  'ImportedServer',
  z.strictObject({
    ...inputShape,
    transport: z.enum(transports),
    timeout: milliseconds.optional(),
    idleAfter: milliseconds.optional(),
    installTimeout: milliseconds.optional(),
    maxTimeout: milliseconds.optional(),
    cancelGrace: milliseconds.optional(),
    questionHold: milliseconds.optional(),
    defaultToolConfig: limitsSchema.extend({ timeout: milliseconds.optional() }).optional(),
    rate: rateSchema.extend({ per: milliseconds }).optional(),
    sandbox: sandboxSettingsSchema.extend({ cpu: milliseconds.optional() }).optional(),
  }),
);

export const importedServersSchema = answer(
  'ImportedServers',
  z.strictObject({
    servers: list(importedServerSchema).describe('Servers in the format of `addServer`.'),
    problems: list(
      z.strictObject({
        name: z.string().optional().describe('Name of the server with the problem.'),
        message: z.string(),
      }),
    ).describe('Settings that were not imported or need a check.'),
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
    url: z.string().optional().describe('Without its query, which may contain secrets.'),
    headers: z.record(z.string(), maskSchema).optional(),
    authentication: createAuthenticationSchema(maskSchema, maskSchema),
    openapi: z.string().optional().describe('Without its query, which may contain secrets.'),
    allowInsecure: z.boolean(),
    enabled: z.boolean(),
    timeout: milliseconds,
    idleAfter: milliseconds.optional(),
    installTimeout: milliseconds.optional(),
    maxTimeout: milliseconds.optional(),
    cancelGrace: milliseconds.optional(),
    questionHold: milliseconds.optional(),
    retryAttempts: z.int(),
    defaultToolConfig: limitsSchema.extend({ timeout: milliseconds.optional() }).optional(),
    rate: rateSchema.extend({ per: milliseconds }).optional(),
    sandbox: sandboxSettingsSchema.extend({ cpu: milliseconds.optional() }).optional(),
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
    cause: z
      .enum(failureCauses)
      .optional()
      .describe(
        'The cause of an error that a person can fix: credentials are needed, or the command is not installed.',
      ),
    signInUrl: z
      .string()
      .optional()
      .describe('URL where a person must sign in before the server can be connected. Only for administrators.'),
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
    pid: z.int().optional().describe('Process id of a local server. Only for administrators.'),
    connectMs: z.number().optional(),
    replica: z.string().optional().describe('The replica that runs the server, if one runs it for all.'),
  }),
);

export const offeredSchema = answer(
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
  skills: offeredSchema.optional(),
});

export const serverSchema = answer(
  'Server',
  z.strictObject({
    id: z
      .string()
      .describe('The record id of a stored server, which survives renaming; the name of a server in the file.'),
    name: z.string(),
    description: z.string().optional(),
    source: z.enum(['file', 'default', 'store']).describe('`default`: there is no configuration file.'),
    readOnly: z.string().optional().describe('Why the server cannot be changed.'),
    problem: z.string().optional().describe('Why a stored server is not used.'),
    review: z
      .strictObject({ by: z.string(), at: isoTime })
      .optional()
      .describe('Who added or changed it. It is not started until `acceptServer` is called.'),
    missingToken: z
      .string()
      .optional()
      .describe(
        'Set for a default server that is disabled because this variable is not set; `setServerToken` stores a token.',
      ),
    place: z.string().optional().describe('URL or command of the server, without secrets. Only for administrators.'),
    transport: z.enum(allTransports).describe('`plugin`: a plugin adds the transport.'),
    enabled: z.boolean(),
    required: z.boolean(),
    trusted: z.boolean(),
    mode: z.enum(toolModes),
    roots: list(z.strictObject({ uri: z.string(), name: z.string() }))
      .optional()
      .describe(
        'The roots that are set for the server. Absent: it gets those of the client that calls. Only for administrators.',
      ),
    status: statusSchema,
    offers: offersSchema,
    revision,
    record: serverRecordViewSchema
      .optional()
      .describe('The stored settings with masked secrets. Only for administrators.'),
  }),
);

export type ServerView = z.input<typeof serverSchema>;

export const serverTokenSchema = body('ServerToken', z.strictObject({ token: z.string().trim().min(1).max(10_000) }));

export const serverListSchema = answer('ServerList', z.strictObject({ servers: list(serverSchema) }));

export const serverTestSchema = answer(
  'ServerTest',
  z.strictObject({
    ok: z.boolean(),
    latencyMs: z.int().describe('Time until everything was read, or until the attempt failed.'),
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
  z.record(z.string(), z.unknown()).describe('The result, exactly as the server sent it.'),
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
