import { z } from 'zod';
import { assistantSchema, modelChoiceSchema } from '../records/assistant.ts';
import { approvalModes, exposures } from '../settings/choices.ts';
import { answer, body, list, revision, revisionRead } from './named.ts';

answer('ModelChoice', modelChoiceSchema);

export const assistantViewSchema = answer(
  'Assistant',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    instructions: z.string().optional().describe('The system prompt. Only for administrators.'),
    model: modelChoiceSchema,
    serverIds: list(z.string()).describe('Servers whose tools the assistant may use. Hidden servers are omitted.'),
    disabledTools: list(z.string())
      .optional()
      .describe(
        'Tools of those servers that the assistant may not use, as `server/tool` globs. Only for administrators.',
      ),
    expose: z
      .enum(exposures)
      .describe(
        'Shows the model all tools, tools that search the others, or tools that run scripts over them. `auto` chooses by the size of the definitions.',
      ),
    toolApproval: z.enum(approvalModes),
    trustedTools: list(z.string()).optional().describe('Tools that run without approval. Only for administrators.'),
    maxSteps: z.int().describe('Maximum number of model requests per answer.'),
    maxTokens: z.int().optional().describe('Maximum number of tokens per answer; unlimited if absent.'),
    revision,
  }),
);

export type AssistantView = z.input<typeof assistantViewSchema>;

export const assistantListSchema = answer('AssistantList', z.strictObject({ assistants: list(assistantViewSchema) }));

const settingsSchema = assistantSchema.omit({ id: true });

export const assistantInputSchema = body('AssistantInput', settingsSchema.extend({ revision: revisionRead }));

export const assistantPreviewInputSchema = body('AssistantPreviewInput', settingsSchema);

export const assistantPreviewSchema = answer(
  'AssistantPreview',
  z.strictObject({
    tools: list(
      z.strictObject({
        name: z.string(),
        server: z.string().optional(),
        originalName: z.string(),
        description: z.string(),
        enabled: z.boolean().describe('False if `disabledTools` disables the tool.'),
        disabledBy: list(z.string()).describe('The patterns of `disabledTools` that match the tool.'),
        trustedBy: list(z.string()).describe('The patterns of `trustedTools` that match the tool.'),
      }),
    ),
    count: z.int().describe('Number of enabled tools.'),
    exposed: z.enum(['all', 'search', 'code']).describe('How the model is shown the tools; the choice of `auto`.'),
    estimatedTokens: z.int().describe('Approximate token cost of the tool definitions per model request.'),
    allTokens: z.int().describe('Approximate token cost of all tools, if the model were shown them.'),
    warning: z.string().optional(),
    omitted: list(z.strictObject({ name: z.string(), reason: z.string() })).describe(
      'Tools that models do not support, with the reason.',
    ),
    missingServers: list(z.strictObject({ id: z.string(), reason: z.string() })).describe(
      'Servers that are not available now, with the reason.',
    ),
  }),
);
