import { z } from 'zod';
import { assistantSchema, modelChoiceSchema } from '../../../storage/ports/assistant-store.ts';
import { answer, body, list } from './named.ts';

answer('ModelChoice', modelChoiceSchema);

export const assistantViewSchema = answer(
  'Assistant',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    instructions: z.string().optional().describe('What the model is told before anything else; for administrators.'),
    model: modelChoiceSchema,
    serverIds: list(z.string()).describe(
      'The servers whose tools it has; to others than administrators, those they see.',
    ),
    disabledTools: list(z.string())
      .optional()
      .describe('Tools of those servers that it does not have, as `server/tool` globs; for administrators.'),
    toolApproval: z.enum(['auto', 'always-ask', 'trusted-only']),
    trustedTools: list(z.string()).optional().describe('For administrators.'),
    maxSteps: z.int().describe('How often the model may be asked for one answer.'),
    maxTokens: z.int().optional().describe('How many tokens one answer may cost; no limit if absent.'),
  }),
);

export type AssistantView = z.input<typeof assistantViewSchema>;

export const assistantListSchema = answer('AssistantList', z.strictObject({ assistants: list(assistantViewSchema) }));

export const assistantInputSchema = body('AssistantInput', assistantSchema.omit({ id: true }));

export const assistantPreviewSchema = answer(
  'AssistantPreview',
  z.strictObject({
    tools: list(
      z.strictObject({
        name: z.string(),
        server: z.string().optional(),
        originalName: z.string(),
        description: z.string(),
        enabled: z.boolean().describe('False for one that `disabledTools` takes away.'),
        disabledBy: list(z.string()).describe('The patterns of `disabledTools` that match it.'),
        trustedBy: list(z.string()).describe('The patterns of `trustedTools` that match it.'),
      }),
    ),
    count: z.int().describe('How many tools it gets.'),
    estimatedTokens: z.int().describe('What their definitions cost in each turn, roughly.'),
    warning: z.string().optional(),
    omitted: list(z.strictObject({ name: z.string(), reason: z.string() })).describe(
      'Tools that models can not be given, and why.',
    ),
    missingServers: list(z.strictObject({ id: z.string(), reason: z.string() })).describe(
      'Servers that are not there now.',
    ),
  }),
);
