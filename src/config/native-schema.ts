import { z } from 'zod';
import { authenticationSchema } from './authentication-schema.ts';
import { chainsSchema } from './chain-schema.ts';
import { endpointsSchema } from './endpoint-schema.ts';
import { gatewaySchema } from './gateway-schema.ts';
import {
  choice,
  duration,
  environment,
  filledText,
  flag,
  glob,
  headers,
  list,
  profileName,
  serverName,
  text,
  wholeNumber,
} from './schema-parts.ts';

export const stdioTransports = ['stdio'] as const;
export const httpTransports = ['http', 'sse', 'auto', 'api'] as const;
/** Other spellings of Streamable HTTP that are understood. */
export const httpSpellings = ['streamable_http', 'streamable-http', 'streamableHttp'] as const;

const most = Number.MAX_SAFE_INTEGER;
const modes = choice(['strict', 'dynamic']);
const globs = list(glob);
const namings = choice(['mcp', 'server__tool', 'plain']);

const limitsShape = {
  maxInstances: wholeNumber(1, most).optional().describe('Calls of one tool at a time.').meta({ default: 64 }),
  timeout: duration().optional().describe('Time for one call: 30s, PT30S, or milliseconds.').meta({ default: '30s' }),
};

export const limitsSchema = z.strictObject(limitsShape, { error: 'must be a map' });

export const rateSchema = z.strictObject(
  {
    calls: wholeNumber(1, most).describe('Calls allowed in each period.'),
    per: duration().describe('The period, such as 1m.'),
  },
  { error: 'must be a map with calls and per' },
);

const commonShape = {
  description: text.optional().describe('What the server is for.'),
  enabled: flag.optional().describe('A disabled server is kept but not connected.').meta({ default: true }),
  required: flag
    .optional()
    .describe("A required server that can't be reached stops the start.")
    .meta({ default: false }),
  trusted: flag
    .optional()
    .describe("The server's own word on read-only and idempotent tools is believed.")
    .meta({ default: false }),
  protocol: choice(['auto', 'legacy', 'modern'])
    .optional()
    .describe('Which MCP era to speak; auto asks the server.')
    .meta({ default: 'auto' }),
  timeout: duration(1000, 300_000)
    .optional()
    .describe('Time for one request, 1 s to 300 s: 30s, PT30S, or milliseconds.')
    .meta({ default: '30s' }),
  retryAttempts: wholeNumber(0, 5).optional().describe('Connection attempts after the first.').meta({ default: 3 }),
  mode: modes
    .optional()
    .describe('strict: every tool must be named under toolbox.tools. dynamic: others get the default limits.')
    .meta({ default: 'dynamic' }),
  defaultToolConfig: limitsSchema.optional().describe('Limits for tools that are not named under toolbox.tools.'),
  allow: globs.optional().describe("Globs over the server's tool names; only these are offered."),
  deny: globs.optional().describe("Globs over the server's tool names; these are never offered."),
  onChange: choice(['quarantine', 'ask', 'allow'])
    .optional()
    .describe('What happens to a tool whose definition changes.')
    .meta({ default: 'ask' }),
  rate: rateSchema.optional().describe('Calls to this server per period.'),
  prompts: list(filledText).optional().describe('Names of prompts to offer; all if left out.'),
};

export const stdioServerSchema = z.strictObject(
  {
    command: filledText.describe('The program to start.'),
    args: list(text).optional().describe('Its arguments.'),
    env: environment.optional().describe('Its environment variables; values may be ${VAR} or ${file:/path}.'),
    cwd: filledText.optional().describe('Its working directory.'),
    transport: choice(stdioTransports).optional().describe('stdio, for a program.'),
    ...commonShape,
  },
  { error: 'must be a map' },
);

export const httpServerSchema = z.strictObject(
  {
    url: filledText.describe('The address of the server, https unless it is on this machine.'),
    transport: choice([...httpTransports, ...httpSpellings])
      .optional()
      .describe('auto tries Streamable HTTP, then SSE. api is for an HTTP API with openapi or endpoints.')
      .meta({ default: 'auto' }),
    headers: headers.optional().describe('Extra headers; values may be ${VAR} or ${file:/path}.'),
    authentication: authenticationSchema.optional(),
    openapi: filledText
      .optional()
      .describe(
        'Where the OpenAPI document of an HTTP API is, an address or a file: each of its operations is a tool.',
      ),
    endpoints: endpointsSchema.optional().describe('Endpoints of an HTTP API that are tools, described by hand.'),
    allowInsecure: flag
      .optional()
      .describe('Allow plain http to another machine. Whoever listens on the way can read and change everything.')
      .meta({ default: false }),
    ...commonShape,
  },
  { error: 'must be a map' },
);

/** A server of which it is not clear what kind it should be: every key is checked, none is required. */
export const anyServerSchema = z.strictObject({
  ...httpServerSchema.partial().shape,
  ...stdioServerSchema.partial().omit({ transport: true }).shape,
});

const approvalShape = {
  mode: choice(['auto', 'always-ask', 'trusted-only']).optional().describe('Which calls ask first.'),
  trustedTools: globs.optional().describe('Globs of tools that trusted-only runs without asking.'),
  ask: globs.optional().describe('Globs of tools that always ask.'),
  deny: globs.optional().describe('Globs of tools that never run.'),
  expires: duration().optional().describe('How long a question may wait; then the answer is no.'),
};

export const approvalSchema = z.strictObject(
  {
    ...approvalShape,
    mode: approvalShape.mode.meta({ default: 'auto' }),
    expires: approvalShape.expires.meta({ default: '10m' }),
  },
  { error: 'must be a map' },
);

const toolShape = {
  server: serverName.optional().describe("Only this server's tool of that name."),
  ...limitsShape,
  mode: modes.optional().describe("Overrides the server's mode for this tool."),
};

export const toolSchema = z.strictObject(
  { name: filledText.describe("The tool's own name."), ...toolShape },
  { error: 'must be a map' },
);

const toolboxShape = {
  maxConcurrent: wholeNumber(1, most).optional().describe('Calls at a time over all tools.').meta({ default: 256 }),
  maxQueued: wholeNumber(0, most)
    .optional()
    .describe('Calls that may wait; one more is refused.')
    .meta({ default: 1000 }),
  naming: namings
    .optional()
    .describe('How tools are named for the agent: mcp_server_tool, server__tool, or as the server names them.')
    .meta({ default: 'mcp' }),
  maxResultBytes: wholeNumber(1, most)
    .optional()
    .describe('Longer results are cut, and say so.')
    .meta({ default: 10_485_760 }),
  approval: approvalSchema.optional().describe('Which calls ask a person first.'),
  chains: chainsSchema.optional().describe('Tools that are called one after the other, as one tool; by name.'),
};

/** The toolbox with its tools as a list: what the map form is turned into before it is checked. */
export const toolboxSchema = z.strictObject(
  { ...toolboxShape, tools: list(toolSchema).optional() },
  { error: 'must be a map' },
);

/** A profile; what is left out of `approval` is the toolbox's. */
export const profileSchema = z.strictObject(
  {
    servers: globs.optional().describe('Globs over server names; all servers if left out.'),
    allow: globs.optional().describe('Globs over server/tool; only these tools are offered.'),
    deny: globs.optional().describe('Globs over server/tool; these tools are never offered.'),
    naming: namings.optional().describe('How tools are named for MCP clients.').meta({ default: 'server__tool' }),
    approval: z
      .strictObject(approvalShape, { error: 'must be a map' })
      .optional()
      .describe('Which calls ask a person first, where it differs from toolbox.approval.'),
  },
  { error: 'must be a map' },
);

/** The profiles by name. */
export const profilesSchema = z.record(profileName, profileSchema, { error: 'must be a map of profile names' });

/** A whole file in Toolwharf's own dialect. */
export const nativeSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Where editors find the schema of this file.'),
    servers: z
      .record(serverName, z.union([stdioServerSchema, httpServerSchema]))
      .optional()
      .describe('The MCP servers by name.'),
    toolbox: z
      .strictObject({
        ...toolboxShape,
        tools: z
          .union([z.array(toolSchema), z.record(filledText, z.strictObject(toolShape))])
          .optional()
          .describe('Limits of single tools, as a list with names or a map by name.'),
      })
      .optional()
      .describe('Limits, naming and approval for all tools.'),
    profiles: profilesSchema
      .optional()
      .describe('Subsets of the tools with a policy of their own, each served at /mcp/NAME.'),
    gateway: gatewaySchema.optional().describe('How toolwharf serve listens, whom it lets in and what it keeps.'),
  })
  .describe('Configuration of Toolwharf.');

/** What may be written in Toolwharf's own dialect. */
export type NativeConfig = z.input<typeof nativeSchema>;
export type NativeServer = z.input<typeof stdioServerSchema> | z.input<typeof httpServerSchema>;
export type CheckedServer = z.output<typeof stdioServerSchema> | z.output<typeof httpServerSchema>;
export type CheckedToolbox = z.output<typeof toolboxSchema>;
export type CheckedProfiles = z.output<typeof profilesSchema>;
