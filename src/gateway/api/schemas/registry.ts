import { z } from 'zod';
import { serverName } from '../../../config/schema-parts.ts';
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
    ways: list(
      z.strictObject({
        kind: z.enum(['program', 'address']),
        label: z.string().describe('The command that would be run, or the address.'),
        inputs: list(inputSchema).describe('What has to be filled in.'),
      }),
    ).describe('How it can be had.'),
    unusable: list(z.strictObject({ what: z.string(), reason: z.string() })),
  }),
);

export const registryPageSchema = answer(
  'RegistryPage',
  z.strictObject({
    registry: z.string().describe('The address that was asked.'),
    servers: list(registryServerSchema),
    nextCursor: z.string().optional(),
  }),
);

export const registryPlanSchema = body(
  'RegistryPlan',
  z.strictObject({
    name: z.string().min(1).describe('Of the server, in the registry.'),
    version: z.string().min(1).optional().describe('The newest if left out.'),
    way: z.int().min(0).describe('Which of its ways, counted from 0.'),
    values: z.record(z.string(), z.string()).optional().describe('What was filled in, by key.'),
    as: serverName.optional().describe('What it is to be called here; the last part of its name if left out.'),
  }),
);
