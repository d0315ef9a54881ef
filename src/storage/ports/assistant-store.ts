import { z } from 'zod';
import { approvalModes } from '../../config/config.ts';
import { isObject } from '../../kernel/json.ts';

/** Which model answers: a provider's id, and the provider's own name for the model. */
export const modelChoiceSchema = z.strictObject({
  provider: z.string().min(1, 'must not be empty').max(100),
  model: z.string().trim().min(1, 'must not be empty').max(200),
});

export type ModelChoice = z.output<typeof modelChoiceSchema>;

/** An assistant as it is kept and edited, with every default filled in. */
export const assistantSchema = z.strictObject({
  id: z.uuid({ error: 'must be a UUID' }),
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  description: z.string().max(1_000, 'must have at most 1000 characters').default(''),
  /** What the model is told before anything else. */
  instructions: z.string().max(100_000, 'must have at most 100000 characters').default(''),
  model: modelChoiceSchema.default({ provider: 'demo', model: 'demo' }),
  /** The servers whose tools it has. */
  serverIds: z.array(z.string()).default([]),
  /** Single tools of those servers that it does not have, as `server/tool` globs. */
  disabledTools: z.array(z.string()).default([]),
  toolApproval: z.enum(approvalModes).default('always-ask'),
  /** Globs over tool names that `trusted-only` runs without asking. */
  trustedTools: z.array(z.string()).default([]),
  /** How often the model may be asked for one answer. */
  maxSteps: z.int().min(1, 'must be at least 1').max(200, 'must be at most 200').default(20),
  /** How many tokens one answer may cost, question and answer together over all its steps; no limit if absent. */
  maxTokens: z.int().min(100, 'must be at least 100').optional(),
});

export type Assistant = z.output<typeof assistantSchema>;

/** Where assistants are kept. */
export interface AssistantStore {
  /** By name. */
  list(): Promise<readonly Assistant[]>;
  get(id: string): Promise<Assistant | undefined>;
  /** Adds it, or replaces the one of the same id. */
  put(assistant: Assistant): Promise<void>;
  /** False when there is none of that id. */
  remove(id: string): Promise<boolean>;
}

/** A kept assistant as of today: what it was kept without gets its default, what is no longer part of one is dropped. */
export function parseAssistant(body: string): Assistant {
  const kept: unknown = JSON.parse(body);
  if (!isObject(kept)) return assistantSchema.parse(kept);
  const known = Object.entries(kept).filter(([name]) => Object.hasOwn(assistantSchema.shape, name));
  return assistantSchema.parse(Object.fromEntries(known));
}
