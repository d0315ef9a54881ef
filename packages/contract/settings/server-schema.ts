import { z } from 'zod';
import type { DeepReadonly } from '../json.ts';
import { authenticationSchema } from './authentication-schema.ts';
import {
  argumentValidations,
  credentialChoices,
  isolations,
  lifecycles,
  onChangeActions,
  placements,
  protocolChoices,
  toolModes,
} from './choices.ts';
import { serverDefaults, toolDefaults } from './defaults.ts';
import { durationText } from './durations.ts';
import { endpointsSchema } from './endpoint-schema.ts';
import { sandboxSchema } from './sandbox-schema.ts';
import {
  choice,
  duration,
  environment,
  filledText,
  flag,
  globs,
  headers,
  list,
  root,
  text,
  wholeNumber,
} from './schema-parts.ts';
import { transports, urlTransports } from './transports.ts';

const unlimited = Number.MAX_SAFE_INTEGER;

/** Alternative spellings of Streamable HTTP. */
export const httpSpellings = ['streamable_http', 'streamable-http', 'streamableHttp'] as const;

/** The limits of one tool. */
export const limitsShape = {
  maxInstances: wholeNumber(1, unlimited)
    .optional()
    .describe('Concurrent calls of the tool.')
    .meta({ default: toolDefaults.maxInstances }),
  timeout: duration()
    .optional()
    .describe('Time limit of one call: 30s, PT30S, or milliseconds.')
    .meta({ default: durationText(toolDefaults.timeoutMs) }),
};

/** The limits of a tool, as the API shows them. */
export const toolLimitsSchema = z.strictObject({
  maxInstances: z.int().describe('The maximum number of concurrent calls.'),
  timeoutMs: z.int(),
});

export const limitsSchema = z.strictObject(limitsShape, { error: 'must be a map' });

export const rateSchema = z.strictObject(
  {
    calls: wholeNumber(1, unlimited).describe('Calls allowed in each period.'),
    per: duration().describe('The period, such as 1m.'),
  },
  { error: 'must be a map with calls and per' },
);

const command = filledText.describe('The program to start.');
const url = filledText.describe('The URL of the server, https unless it is on this machine.');

const programShape = {
  command: command.optional(),
  args: list(text).optional().describe('Its arguments.'),
  env: environment
    .optional()
    .describe('Its environment variables; in a file, values may be ${VAR}, ${file:/path} or ${command:…}.'),
  cwd: filledText.optional().describe('The working directory of the program.'),
  inheritEnv: flag
    .optional()
    .describe("Pass Toolwharf's whole environment to the program, except TOOLWHARF_ variables.")
    .meta({ default: false }),
  placement: choice(placements)
    .optional()
    .describe('everywhere: each replica starts the program. single: one replica does, and the others send calls to it.')
    .meta({ default: serverDefaults.placement }),
  sandbox: sandboxSchema
    .optional()
    .describe('What the program may touch: off, learn or enforce, or a map with the mode and lists.'),
};

const urlShape = {
  url: url.optional(),
  headers: headers.optional().describe('Extra headers; in a file, values may be ${VAR} or ${file:/path}.'),
  authentication: authenticationSchema.optional(),
  openapi: filledText
    .optional()
    .describe('The URL or file of the OpenAPI document of an HTTP API: each of its operations becomes a tool.'),
  endpoints: endpointsSchema.optional().describe('Endpoints of an HTTP API that become tools, described by hand.'),
  allowInsecure: flag
    .optional()
    .describe('Allow plain http to another machine. Anybody on the network path can read and change the traffic.')
    .meta({ default: false }),
};

/** The settings that a stored server with a URL always has. */
export const storedUrlShape = {
  authentication: urlShape.authentication.default({ type: 'none' }),
  allowInsecure: urlShape.allowInsecure.default(false),
};

const commonShape = {
  description: text.optional().describe('The purpose of the server.'),
  enabled: flag
    .optional()
    .describe('A disabled server stays configured and is not connected.')
    .meta({ default: serverDefaults.enabled }),
  required: flag
    .optional()
    .describe("A required server of a file that can't be reached stops the start; over the API it can't be added.")
    .meta({ default: serverDefaults.required }),
  trusted: flag
    .optional()
    .describe("Believe the server's annotations of read-only and idempotent tools.")
    .meta({ default: serverDefaults.trusted }),
  lifecycle: choice(lifecycles)
    .optional()
    .describe(
      'eager: connected all the time. lazy: the first call connects the server, and it sleeps when nothing has used it for `idleAfter`.',
    )
    .meta({ default: serverDefaults.lifecycle }),
  idleAfter: duration(1000, 86_400_000)
    .optional()
    .describe('How long a lazy server stays connected after its last use.')
    .meta({ default: durationText(serverDefaults.idleAfterMs) }),
  protocol: choice(protocolChoices)
    .optional()
    .describe('Which MCP era to speak; auto detects it.')
    .meta({ default: serverDefaults.protocol }),
  isolation: choice(isolations)
    .optional()
    .describe('shared: all clients use one session with the server. session: each client session gets its own.')
    .meta({ default: serverDefaults.isolation }),
  credentials: choice(credentialChoices)
    .optional()
    .describe(
      'shared: all calls use the credentials of this configuration. per-user: each person connects accounts of their own, by OAuth or by entering the values that are written ${account:NAME} here.',
    )
    .meta({ default: serverDefaults.credentials }),
  maxAccountConnections: wholeNumber(1, 10_000)
    .optional()
    .describe(
      'With per-user credentials: the number of accounts that are connected at a time. Idle ones are closed first.',
    )
    .meta({ default: serverDefaults.maxAccountConnections }),
  validation: choice(argumentValidations)
    .optional()
    .describe('strict rejects invalid arguments, coerce converts "1" to 1 first, off leaves the check to the server.')
    .meta({ default: serverDefaults.validation }),
  timeout: duration(1000, 300_000)
    .optional()
    .describe('Time limit of one request, 1 s to 300 s: 30s, PT30S, or milliseconds.')
    .meta({ default: durationText(serverDefaults.timeoutMs) }),
  installTimeout: duration(1000, 3_600_000)
    .optional()
    .describe(
      'Time limit of a start with npx, uvx or another package runner, which may have to install the package first.',
    )
    .meta({ default: durationText(serverDefaults.installTimeoutMs) }),
  maxTimeout: duration(1000, 86_400_000)
    .optional()
    .describe('Time limit of a call that reports progress: each report restarts the timeout, up to this limit.')
    .meta({ default: durationText(serverDefaults.maxTimeoutMs) }),
  cancelGrace: duration(0, 600_000)
    .optional()
    .describe(
      'How long a call that timed out or was cancelled keeps its permits if the server does not answer it: the server may still be working on it.',
    )
    .meta({ default: durationText(serverDefaults.cancelGraceMs) }),
  questionHold: duration(1000, 86_400_000)
    .optional()
    .describe(
      'How long an unanswered question of the server may delay other calls that may ask too, on a session that they share. Then its call is cancelled.',
    )
    .meta({ default: durationText(serverDefaults.questionHoldMs) }),
  retryAttempts: wholeNumber(0, 5)
    .optional()
    .describe(
      'Attempts after a failed one that the start waits for if the server is required. Attempts go on in the background.',
    )
    .meta({ default: serverDefaults.retryAttempts }),
  mode: choice(toolModes)
    .optional()
    .describe('strict: every tool must be named under toolbox.tools. dynamic: others get the default limits.')
    .meta({ default: serverDefaults.mode }),
  defaultToolConfig: limitsSchema.optional().describe('Limits for tools that are not named under toolbox.tools.'),
  allow: globs.optional().describe("Globs over the server's tool names; only these tools are offered."),
  deny: globs.optional().describe("Globs over the server's tool names; these tools are never offered."),
  onChange: choice(onChangeActions)
    .optional()
    .describe('The action when the definition of a tool changes.')
    .meta({ default: serverDefaults.onChange }),
  rate: rateSchema.optional().describe('Rate limit of calls to this server.'),
  prompts: list(filledText).optional().describe('Names of prompts to offer; all if omitted.'),
  roots: list(root)
    .optional()
    .describe(
      'Directories that the server may use, as absolute paths or file:// URLs; it gets these instead of the roots of clients.',
    ),
};

/**
 * The keys of a server from any source: file, REST API, store or command line. `serverConflicts` checks their
 * combinations.
 */
export const serverShape = {
  transport: choice(transports)
    .optional()
    .describe('auto tries Streamable HTTP, then SSE. api is an HTTP API with openapi or endpoints.'),
  ...programShape,
  ...urlShape,
  ...commonShape,
};

export const serverSchema = z.strictObject(serverShape, { error: 'must be a map' });

/** Keys of stdio servers only. */
export const programKeys = Object.keys(programShape) as (keyof typeof programShape)[];

/** Keys of servers with a URL only. */
export const urlKeys = Object.keys(urlShape) as (keyof typeof urlShape)[];

/** A stdio server, for editors and types. */
export const stdioServerSchema = z.strictObject({
  ...programShape,
  command,
  transport: z.literal('stdio').optional().describe('stdio, for a program.'),
  ...commonShape,
});

/** A server with a URL, for editors and types. */
export const urlServerSchema = z.strictObject({
  ...urlShape,
  url,
  transport: choice([...urlTransports, ...httpSpellings])
    .optional()
    .describe('auto tries Streamable HTTP, then SSE. api is for an HTTP API with openapi or endpoints.')
    .meta({ default: 'auto' }),
  ...commonShape,
});

/** The options of a plugin or of a plugin's transport, which checks them itself. */
export const optionsSchema = z.record(z.string(), z.unknown(), { error: 'must be a map' });

/** A server that the transport of a plugin reaches. */
export const pluginServerSchema = z.strictObject(
  {
    transport: filledText.describe('The name of a transport that a plugin adds.'),
    options: optionsSchema
      .optional()
      .describe('The options of the transport; in a file, values may be ${VAR} or ${file:/path}.'),
    ...commonShape,
  },
  { error: 'must be a map' },
);

/** A server in the native dialect, unless the transport of a plugin reaches it. */
export type NativeServer = DeepReadonly<z.input<typeof stdioServerSchema> | z.input<typeof urlServerSchema>>;

/** A server that the transport of a plugin reaches, in the native dialect. */
export type PluginServer = DeepReadonly<z.input<typeof pluginServerSchema>> & {
  readonly command?: undefined;
  readonly url?: undefined;
};

/** A server that passed its schema. Durations are in milliseconds. */
export type CheckedServer = z.output<typeof serverSchema>;
