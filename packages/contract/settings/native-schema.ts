import { z } from 'zod';
import type { DeepReadonly } from '../json.ts';
import { lazy } from '../lazy.ts';
import { chainsSchema } from './chain-schema.ts';
import {
  approvalModes,
  approverGroups,
  exposures,
  namings,
  newToolModes,
  pluginFailures,
  pluginModes,
  readModes,
  toolModes,
} from './choices.ts';
import { approvalDefaults, exposeDefaults, nativeDefaults, profileNaming, toolboxDefaults } from './defaults.ts';
import { durationText } from './durations.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { policySchema } from './policy-schema.ts';
import { redactionSchema } from './redaction-schema.ts';
import {
  choice,
  duration,
  filledText,
  globs,
  list,
  profileName,
  serverName,
  text,
  wholeNumber,
} from './schema-parts.ts';
import {
  limitsShape,
  type NativeServer,
  optionsSchema,
  type PluginServer,
  pluginServerSchema,
  stdioServerSchema,
  urlServerSchema,
} from './server-schema.ts';

const unlimited = Number.MAX_SAFE_INTEGER;

const newTools = choice(newToolModes)
  .optional()
  .describe(
    'hide: tools that a server offers after its first list cannot be listed or called until a person accepts them.',
  );

const approvalShape = {
  mode: choice(approvalModes).optional().describe('Which calls need approval.'),
  trustedTools: globs.optional().describe('Globs of tools that run without approval in trusted-only mode.'),
  ask: globs.optional().describe('Globs of tools that need approval in every mode.'),
  deny: globs.optional().describe('Globs of tools that are never called.'),
  expires: duration().optional().describe('Time until an unanswered approval expires and its call is denied.'),
  approvers: choice(approverGroups)
    .optional()
    .describe(
      'Who answers approvals. admins: administrators. owner: also the owner of a conversation, for the calls of its assistant. client: also the user of the calling client, for one call at a time.',
    ),
  reads: choice(readModes).optional().describe('Whether reads of resources and prompts need approval.'),
};

export const approvalSchema = z.strictObject(
  {
    ...approvalShape,
    mode: approvalShape.mode.meta({ default: approvalDefaults.mode }),
    expires: approvalShape.expires.meta({ default: durationText(approvalDefaults.expiresMs) }),
    approvers: approvalShape.approvers.meta({ default: approvalDefaults.approvers }),
    reads: approvalShape.reads.meta({ default: approvalDefaults.reads }),
  },
  { error: 'must be a map' },
);

const toolShape = {
  server: serverName.optional().describe('Applies the entry to the tool of this server only.'),
  ...limitsShape,
  mode: choice(toolModes)
    .optional()
    .describe("Overrides the server's mode for this tool; strict ignores the limits in defaultToolConfig."),
};

export const toolSchema = z.strictObject(
  { name: filledText.describe("The tool's own name."), ...toolShape },
  { error: 'must be a map' },
);

const toolboxShape = {
  maxConcurrent: wholeNumber(1, unlimited)
    .optional()
    .describe('Maximum number of concurrent calls of all tools.')
    .meta({ default: toolboxDefaults.maxConcurrent }),
  maxQueued: wholeNumber(0, unlimited)
    .optional()
    .describe('Maximum number of queued calls; further calls are rejected.')
    .meta({ default: toolboxDefaults.maxQueued }),
  maxStarting: wholeNumber(1, unlimited)
    .optional()
    .describe(
      'Maximum number of programs of lazy servers that start at the same time. One that takes longer than ten seconds no longer counts.',
    )
    .meta({ default: toolboxDefaults.maxStarting }),
  naming: choice(namings)
    .optional()
    .describe('How tools are named for the agent: mcp_server_tool, server__tool, or as the server names them.')
    .meta({ default: nativeDefaults.naming }),
  newTools: newTools.meta({ default: toolboxDefaults.newTools }),
  maxResultBytes: wholeNumber(1, unlimited)
    .optional()
    .describe('Larger results are truncated and marked as such.')
    .meta({ default: toolboxDefaults.maxResultBytes }),
  secretResults: globs
    .optional()
    .describe('Globs over server/tool; the results of these tools are secret: callers only get references to them.'),
  secretCommands: z
    .strictObject(
      {
        timeout: duration(100, 600_000)
          .optional()
          .describe('Time limit of a command.')
          .meta({ default: durationText(toolboxDefaults.secretCommands.timeoutMs) }),
        cache: duration(0, 86_400_000)
          .optional()
          .describe('How long a value is used again. With 0, the command runs at each start of a server.')
          .meta({ default: durationText(toolboxDefaults.secretCommands.cacheMs) }),
      },
      { error: 'must be a map' },
    )
    .optional()
    .describe('How the programs of `${command:…}` and `${keychain:…}` run.'),
  approval: approvalSchema.optional().describe('Which calls need approval.'),
  chains: chainsSchema.optional().describe('Sequences of tool calls, and scripts, each exposed as one tool; by name.'),
};

/** The toolbox with its tools as a list. The map form is converted to a list before the check. */
export const toolboxSchema = z.strictObject(
  { ...toolboxShape, tools: list(toolSchema).optional() },
  { error: 'must be a map' },
);

/** A profile. Missing `approval` settings use the settings of the toolbox. */
export const profileSchema = z.strictObject(
  {
    description: text
      .max(1_000, 'must have at most 1000 characters')
      .optional()
      .describe('The purpose of the profile.'),
    servers: globs.optional().describe('Globs over server names; all servers if left out.'),
    allow: globs.optional().describe('Globs over server/tool; only these tools are offered.'),
    deny: globs.optional().describe('Globs over server/tool; these tools are never offered.'),
    resources: globs
      .optional()
      .describe('Globs over URIs of resources; only these are offered. All of the servers if left out.'),
    prompts: globs
      .optional()
      .describe('Globs over server/prompt; only these are offered. All of the servers if left out.'),
    skills: globs
      .optional()
      .describe(
        'Globs over server/path of skills, local/path for local folders; only these are offered. All if left out.',
      ),
    naming: choice(namings)
      .optional()
      .describe('How tools are named for MCP clients.')
      .meta({ default: profileNaming }),
    expose: choice(exposures)
      .optional()
      .describe(
        'How tools are listed: all of them, three tools that search and call the others, tools that run scripts, or by size.',
      )
      .meta({ default: exposeDefaults.expose }),
    exposeBudget: wholeNumber(1, unlimited)
      .optional()
      .describe('Estimated tokens of the list above which auto chooses search.')
      .meta({ default: exposeDefaults.exposeBudget }),
    alwaysList: globs.optional().describe('Globs over server/tool; these tools are listed with search and code too.'),
    newTools,
    maxInlineResultBytes: wholeNumber(1, unlimited)
      .optional()
      .describe('Larger results become references. Without it: 32768 with search and code, no limit with all.'),
    approval: z
      .strictObject(approvalShape, { error: 'must be a map' })
      .optional()
      .describe('Which calls need approval, where it differs from toolbox.approval.'),
  },
  { error: 'must be a map' },
);

export const profilesSchema = z.record(profileName, profileSchema, { error: 'must be a map of profile names' });

export const localToolsSchema = z.union([filledText, list(filledText)], {
  error: 'must be the path of a module, or a list of paths',
});

export const skillsSchema = z.union([filledText, list(filledText)], {
  error: 'must be the path of a folder, or a list of paths',
});

export const pluginSchema = z.strictObject({
  module: filledText.describe('The name of an installed package, or the path of a module relative to this file.'),
  options: optionsSchema.optional().describe('The options of the plugin; values may be ${VAR} or ${file:/path}.'),
  mode: choice(pluginModes)
    .optional()
    .describe(
      'enforce applies what the plugin decides. shadow only records what it would have done. Default: enforce.',
    ),
  onFailure: choice(pluginFailures)
    .optional()
    .describe(
      'What happens when a hook of the plugin fails: deny does not make the call, allow goes on without the plugin. Default: deny.',
    ),
  timeout: duration().optional().describe('Time that a hook of the plugin may take. Default: 5s.'),
});

export const pluginsSchema = z.array(
  z.union([filledText, pluginSchema], {
    error: 'must be the name or path of a module, or a map with module and options',
  }),
  { error: 'must be a list' },
);

export const featuresSchema = z.record(filledText, z.boolean({ error: 'must be true or false' }), {
  error: 'must be a map of features to true or false',
});

/** The keys of a file in the native dialect. */
export const nativeKeys = [
  '$schema',
  'servers',
  'toolbox',
  'localTools',
  'skills',
  'plugins',
  'profiles',
  'gateway',
  'policy',
  'redaction',
  'features',
] as const;

/** The sections that a plugin applies. A configuration that has one is refused where no plugin does, so that no rule is ignored. */
export const pluginSections = ['policy', 'budgets', 'flows', 'sandbox', 'redaction'] as const;
export type PluginSection = (typeof pluginSections)[number];
/** Where a file has the sections. */
export const sectionPaths: Readonly<Record<PluginSection, readonly string[]>> = {
  policy: ['policy'],
  budgets: ['policy', 'budgets'],
  flows: ['policy', 'flows'],
  sandbox: ['gateway', 'sandbox'],
  redaction: ['redaction'],
};

/** A complete file in the native dialect. */
export const nativeSchema = lazy(() =>
  z
    .strictObject({
      $schema: z.string().optional().describe('URL of the JSON Schema of this file, for editors.'),
      servers: z
        .record(serverName, z.union([stdioServerSchema, urlServerSchema, pluginServerSchema]))
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
      localTools: localToolsSchema
        .optional()
        .describe('JavaScript or TypeScript modules that export local tools; paths are relative to this file.'),
      skills: skillsSchema
        .optional()
        .describe(
          'Folders with skills: each has a SKILL.md, or folders that have one; paths are relative to this file.',
        ),
      plugins: pluginsSchema
        .optional()
        .describe(
          'Packages and modules that extend Toolwharf: hooks of calls, approvers, exporters, transports, tools and secrets.',
        ),
      profiles: profilesSchema
        .optional()
        .describe('Named subsets of servers and tools with their own policies, each served at /mcp/NAME.'),
      gateway: gatewaySchema().optional().describe('Settings of the gateway: address, access, limits and retention.'),
      policy: policySchema.optional().describe('Conditions over calls that deny, ask or hide, and budgets.'),
      redaction: redactionSchema
        .optional()
        .describe('Secrets and personal data in calls: what is detected, masked or blocked.'),
      features: featuresSchema
        .optional()
        .describe('Features of the gateway by name: false starts it without that feature. All are on if left out.'),
    } satisfies Record<(typeof nativeKeys)[number], z.ZodType>)
    .describe('Configuration of Toolwharf.'),
);

/** The input type of the native dialect. */
export type NativeConfig = Omit<DeepReadonly<z.input<ReturnType<typeof nativeSchema>>>, 'servers'> & {
  readonly servers?: Readonly<Record<string, NativeServer | PluginServer>>;
};
export type CheckedToolbox = z.output<typeof toolboxSchema>;
export type CheckedLocalTools = z.output<typeof localToolsSchema>;
export type CheckedSkills = z.output<typeof skillsSchema>;
export type CheckedPlugins = z.output<typeof pluginsSchema>;
export type CheckedFeatures = z.output<typeof featuresSchema>;
export type CheckedProfiles = z.output<typeof profilesSchema>;
/** A profile that passed its schema. Durations are in milliseconds. */
export type CheckedProfile = z.output<typeof profileSchema>;
