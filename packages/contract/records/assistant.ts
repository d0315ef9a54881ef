import { z } from 'zod';
import { approvalModes, exposures } from '../settings/choices.ts';

/** The model that answers: a provider's id and the provider's name for the model. */
export const modelChoiceSchema = z.strictObject({
  provider: z.string().min(1, 'must not be empty').max(100),
  model: z.string().trim().min(1, 'must not be empty').max(200),
});

export type ModelChoice = z.output<typeof modelChoiceSchema>;

/** A stored assistant with all defaults filled in. */
export const assistantSchema = z.strictObject({
  id: z.uuid({ error: 'must be a UUID' }),
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  description: z.string().max(1_000, 'must have at most 1000 characters').default(''),
  /** The system prompt. */
  instructions: z.string().max(100_000, 'must have at most 100000 characters').default(''),
  model: modelChoiceSchema.default({ provider: 'demo', model: 'demo' }),
  /** The servers whose tools the assistant has. */
  serverIds: z.array(z.string()).default([]),
  /** Tools of those servers that are switched off, as `server/tool` globs. */
  disabledTools: z.array(z.string()).default([]),
  /** How the model is shown the tools. `code`: scripts over them. `auto`: by search if the definitions exceed 10 000 tokens. */
  expose: z.enum(exposures).default('all'),
  toolApproval: z.enum(approvalModes).default('always-ask'),
  /** Globs over tool names that `trusted-only` runs without asking. */
  trustedTools: z.array(z.string()).default([]),
  /** Maximum number of model turns for one answer. */
  maxSteps: z.int().min(1, 'must be at least 1').max(200, 'must be at most 200').default(20),
  /** Maximum number of input and output tokens for one answer; no limit if undefined. */
  maxTokens: z.int().min(100, 'must be at least 100').optional(),
});

export type Assistant = z.output<typeof assistantSchema>;
