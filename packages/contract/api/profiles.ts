import { z } from 'zod';
import { approvalModes, exposures, namings, newToolModes } from '../settings/choices.ts';
import { profileSchema as settingsSchema } from '../settings/native-schema.ts';
import { profileName } from '../settings/schema-parts.ts';
import { approvalSettingsSchema } from './common.ts';
import { answer, body, isoTime, json, list, revision, revisionRead } from './named.ts';

const exposureShape = {
  count: z.int().describe('The number of tools that the profile offers.'),
  estimatedTokens: z.int().describe('The estimated size of all tools. Each model counts differently.'),
  exposed: z.enum(['all', 'search', 'code']).describe('How tools are listed; the choice of `auto`.'),
  listedTokens: z.int().describe('The estimated size of the list.'),
};

export const profileSchema = answer(
  'Profile',
  z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    path: z.string().describe('Path of the MCP endpoint.'),
    source: z
      .enum(['file', 'store', 'built-in'])
      .describe('`built-in`: the profile `default`, which exists without being configured. It can be replaced.'),
    readOnly: z.string().optional().describe('Why the profile cannot be changed.'),
    naming: z.enum(namings),
    expose: z.enum(exposures),
    exposeBudget: z.int().describe('The estimated tokens above which `auto` chooses `search`.'),
    newTools: z.enum(newToolModes),
    mode: z.enum(approvalModes),
    servers: list(z.string()).optional(),
    allow: list(z.string()).optional().describe('Only for administrators.'),
    deny: list(z.string()).optional().describe('Only for administrators.'),
    resources: list(z.string()).optional().describe('Only for administrators.'),
    prompts: list(z.string()).optional().describe('Only for administrators.'),
    skills: list(z.string()).optional().describe('Only for administrators.'),
    alwaysList: list(z.string()).optional().describe('Only for administrators.'),
    maxInlineResultBytes: z
      .int()
      .optional()
      .describe('The size in bytes above which results become references. Only for administrators.'),
    approval: approvalSettingsSchema
      .optional()
      .describe('The settings in use, including those of the toolbox. Only for administrators.'),
    settings: json
      .optional()
      .describe('The settings of the profile alone, in the format of `updateProfile`. Only for administrators.'),
    updatedAt: isoTime.optional().describe('When a stored profile was last changed.'),
    revision,
    exposure: z
      .strictObject(exposureShape)
      .optional()
      .describe('The size of the current tool list. Only in the response for a single profile.'),
    keys: z.int().optional().describe('The number of keys that use the profile. Only for administrators.'),
  }),
);

export type ProfileView = z.input<typeof profileSchema>;

export const profileListSchema = answer('ProfileList', z.strictObject({ profiles: list(profileSchema) }));

export const newProfileSchema = body('NewProfile', settingsSchema.extend({ name: profileName }));

export const profileInputSchema = body('ProfileInput', settingsSchema.extend({ revision: revisionRead }));

export const profilePreviewInputSchema = body('ProfilePreviewInput', settingsSchema);

const visible = z.boolean().describe('Whether the profile offers it.');

export const profilePreviewSchema = answer(
  'ProfilePreview',
  z.strictObject({
    tools: list(
      z.strictObject({
        server: z.string().optional().describe('Absent for local tools.'),
        originalName: z.string(),
        visible,
        allowedBy: list(z.string()).describe('The patterns of `allow` that match the tool.'),
        deniedBy: list(z.string()).describe('The patterns of `deny` that match the tool.'),
      }),
    ).describe('Every tool of the toolbox.'),
    resources: list(z.strictObject({ server: z.string(), uri: z.string(), visible })),
    prompts: list(z.strictObject({ server: z.string(), name: z.string(), visible })),
    skills: list(
      z.strictObject({ server: z.string().optional().describe('Absent for local skills.'), path: z.string(), visible }),
    ),
    ...exposureShape,
  }),
);
