import { z } from 'zod';

/** An assistant as it is kept and edited, with every default filled in. */
export const assistantSchema = z.strictObject({
  id: z.uuid({ error: 'must be a UUID' }),
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  /** The servers whose tools it has. */
  serverIds: z.array(z.string()).default([]),
  toolApproval: z.enum(['auto', 'always-ask', 'trusted-only']).default('always-ask'),
  /** Globs over tool names that `trusted-only` runs without asking. */
  trustedTools: z.array(z.string()).default([]),
  /** What the chat keeps with it: model, instructions, … Stored as it is, so no credentials. */
  settings: z.record(z.string(), z.unknown()).default({}),
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
