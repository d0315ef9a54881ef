import { z } from 'zod';
import { keyRights, permissionNames } from '../rights.ts';
import { dialects, namings, newServerModes, newToolModes, pluginFailures, pluginModes } from '../settings/choices.ts';
import { toolLimitsSchema } from '../settings/server-schema.ts';
import { approvalSettingsSchema, callerSchema } from './common.ts';
import { answer, body, isoTime, json, list } from './named.ts';
import { maskSchema } from './servers.ts';

const right = z.enum(keyRights);

export const keySchema = answer(
  'ApiKey',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    profile: z.string().optional(),
    rights: list(z.string()),
    createdAt: isoTime,
    createdBy: z
      .string()
      .optional()
      .describe(
        'The person to whom the key belongs: issuer and subject of a person who signed in or sent a token, or the key at the beginning of a line of keys. Absent if the operator created the key.',
      ),
    user: z.string().optional().describe('The id of the user whose personal key it is.'),
    parent: z.string().optional().describe('The key with which this one was created. It ends with that key.'),
    expiresAt: isoTime.optional(),
    lastUsedAt: isoTime.optional().describe('Accurate to one minute.'),
    revokedAt: isoTime.optional(),
  }),
);

export const keyListSchema = answer('ApiKeyList', z.strictObject({ keys: list(keySchema) }));

export const newKeySchema = answer(
  'NewApiKey',
  keySchema.extend({ key: z.string().describe('The secret key. It is shown only once and not stored.') }),
);

export const keyInputSchema = body(
  'ApiKeyInput',
  z.strictObject({
    name: z.string().trim().min(1).max(100),
    profile: z.string().optional().describe('The only profile the key may use; every profile if absent.'),
    rights: z
      .array(right)
      .min(1)
      .default(['read', 'call'])
      .describe('Permissions, or the sets read, call and admin. At most those of the caller.'),
    expiresInDays: z.int().min(1).max(3_650).optional().describe('The key never expires if absent.'),
  }),
);

export const configSchema = answer(
  'Config',
  z.strictObject({
    file: z.string().optional().describe('The configuration file, if there is one.'),
    dialect: z.enum(dialects),
    warnings: list(z.string()),
    refused: z
      .strictObject({ at: isoTime, message: z.string() })
      .optional()
      .describe('The current file is invalid, so the previous configuration is still in use.'),
    servers: list(z.string()).describe('Servers defined in the file.'),
    plugins: list(
      z.strictObject({
        name: z.string(),
        module: z.string().optional().describe('The package or path in the file.'),
        parts: list(z.string()).describe(
          'The names of its hooks, `tools`, `transport NAME` for each transport, `secrets SCHEME` for each scheme and `records KIND` for each kind of records.',
        ),
        feature: z.string().optional().describe('The feature of the gateway that brings the plugin.'),
        mode: z.enum(pluginModes),
        onFailure: z.enum(pluginFailures),
        settings: json.optional().describe('The JSON Schema of its options.'),
        hooks: list(
          z.strictObject({
            hook: z.string(),
            runs: z.int(),
            totalMs: z.number(),
            failures: z.int().describe('Runs that threw, took too long or returned something else.'),
            shadowed: z.int().describe('Runs in shadow mode that would have had an effect.'),
          }),
        ).describe('The hooks that have run since the plugin was loaded.'),
        exported: z.int().optional().describe('Calls and events that the exporter took.'),
        dropped: z
          .int()
          .optional()
          .describe('Calls and events that were dropped because the exporter was too slow or failed.'),
      }),
    ).describe('Plugins in use.'),
    toolbox: z.strictObject({
      maxConcurrent: z.int(),
      maxQueued: z.int(),
      maxStarting: z.int(),
      naming: z.enum(namings),
      maxResultBytes: z.int(),
      newTools: z.enum(newToolModes),
      secretResults: list(z.string()),
      approval: approvalSettingsSchema,
      tools: list(json),
      defaultTool: toolLimitsSchema,
      localToolsMustBeConfigured: z.boolean(),
    }),
    gateway: z.strictObject({
      host: z.string(),
      port: z.int(),
      allowedHosts: list(z.string()),
      allowedOrigins: list(z.string()),
      requireAuthentication: z.boolean(),
      allowPrograms: z.boolean(),
      newServers: z.enum(newServerModes),
      allowPrivateAddresses: z.boolean(),
      url: z.string().optional(),
      oidc: json.optional(),
      jwt: json.optional(),
      retention: z.strictObject({ maxAgeMs: z.number(), maxCalls: z.int() }),
      trustedProxies: list(z.string()),
      limits: z.record(z.string(), z.int()).describe('The limits of `gateway.limits`.'),
      apps: z.strictObject({ enabled: z.boolean(), url: z.string().optional(), domains: list(z.string()) }),
      listWaitMs: z.int(),
      questionTimeoutMs: z.int(),
      shutdownMs: z.int(),
      webhook: z.strictObject({ origin: z.string(), secret: maskSchema.optional() }).optional(),
      notifications: list(z.strictObject({ name: z.string(), type: z.string() })),
      tracesOrigin: z.string().optional(),
      database: maskSchema.optional(),
    }),
  }),
);

export type ConfigView = z.output<typeof configSchema>;

export const healthSchema = answer(
  'Health',
  z.strictObject({
    status: z.enum(['ok', 'degraded', 'stopping']),
    version: z.string(),
    startedAt: isoTime,
    servers: z.strictObject({
      total: z.int(),
      connected: z.int(),
      degraded: z.int(),
      connecting: z.int(),
      sleeping: z.int(),
      error: z.int(),
      disconnected: z.int(),
    }),
    calls: z.strictObject({
      running: z.int(),
      queued: z.int(),
      unanswered: z
        .int()
        .describe('Running calls that timed out or were cancelled, and that their servers have not answered.'),
    }),
    sessions: z.int(),
    pendingApprovals: z.int(),
  }),
);

export const sessionSchema = answer(
  'Session',
  z.strictObject({
    authenticated: z.boolean(),
    via: z.enum(['admin-token', 'key', 'jwt', 'loopback', 'sign-in', 'oauth']).optional(),
    caller: callerSchema.optional(),
    roles: list(z.string()).optional().describe('The roles of a signed-in user, with one that was granted for a time.'),
    elevation: z
      .strictObject({ id: z.string(), role: z.string(), until: isoTime })
      .optional()
      .describe('The role that was granted for a time.'),
    signIn: z
      .strictObject({ name: z.string().describe('The name of the identity provider.') })
      .optional()
      .describe('People can sign in: the browser opens `/api/sign-in`, with the page to return to as `return`.'),
    profile: z.string().optional(),
    permissions: list(z.enum(permissionNames)).describe('What the caller may do.'),
    mayAddPrograms: z.boolean().describe('Whether the caller may add local (stdio) servers.'),
    command: z.string().optional().describe('How a person on the machine of the gateway runs the command line.'),
    showsApps: z.boolean().describe('Whether this page can show apps of servers (MCP Apps).'),
    features: list(z.string()).optional().describe('The features of the gateway that are on. Only for callers.'),
    tokenFile: z.string().optional().describe('Path of the admin token. Only for callers on this machine.'),
  }),
);

export const clientListSchema = answer(
  'ClientList',
  z.strictObject({
    clients: list(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        file: z
          .string()
          .optional()
          .describe("Path of the client's configuration file, if it is on the gateway's machine."),
        snippet: z.string().describe('The configuration to add. Replace `KEY` with an API key.'),
        language: z.enum(['json', 'toml', 'yaml']),
        installLink: z
          .string()
          .optional()
          .describe('A link that adds the configuration to the client on the machine where it is opened.'),
      }),
    ),
    url: z.string().describe("The URL of the profile's MCP endpoint."),
    authentication: z
      .enum(['none', 'sign-in', 'key'])
      .describe('How clients authenticate: `sign-in` opens the browser (OAuth), and a key works as well.'),
  }),
);

export const documentSchema = answer('OpenApiDocument', z.record(z.string(), z.unknown()));
