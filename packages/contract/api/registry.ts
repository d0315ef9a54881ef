import { z } from 'zod';
import { serverName } from '../settings/schema-parts.ts';
import { answer, body, list } from './named.ts';

const inputSchema = z.strictObject({
  key: z.string(),
  description: z.string().optional(),
  isRequired: z.boolean(),
  isSecret: z.boolean(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: list(z.string()).optional(),
});

export const registryServerSchema = answer(
  'RegistryServer',
  z.strictObject({
    name: z.string(),
    title: z.string().optional(),
    description: z.string(),
    version: z.string(),
    status: z.enum(['active', 'deprecated', 'deleted']),
    repository: z.string().optional(),
    website: z.string().optional(),
    installOptions: list(
      z.strictObject({
        kind: z.enum(['program', 'address']),
        label: z.string().describe('The command to run, or the URL.'),
        inputs: list(inputSchema).describe('Values the user must or may provide.'),
        risks: list(z.string()).describe(
          'Settings of the publisher that change what runs. Planning needs `acceptRisks`.',
        ),
      }),
    ).describe('The install options of the server.'),
    unusable: list(z.strictObject({ what: z.string(), reason: z.string() })),
  }),
);

export type RegistryServerView = z.output<typeof registryServerSchema>;

export const registryPageSchema = answer(
  'RegistryPage',
  z.strictObject({
    registry: z.string().describe('URL of the registry.'),
    servers: list(registryServerSchema),
    nextCursor: z.string().optional(),
  }),
);

export const registryPlanSchema = body(
  'RegistryPlan',
  z.strictObject({
    name: z.string().min(1).describe('Name of the server in the registry.'),
    version: z.string().min(1).optional().describe('The newest version if absent.'),
    optionIndex: z.int().min(0).describe('Index of the install option, from 0.'),
    values: z.record(z.string(), z.string()).optional().describe('The input values by key.'),
    acceptRisks: z.boolean().optional().describe('Accepts the risks of the install option; required if it has any.'),
    as: serverName.optional().describe('Name for the new server; the last part of its registry name if absent.'),
  }),
);
