import { z } from 'zod';

export const providerKinds = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

/** Somewhere models are run, as it is kept. Its key is sealed with it. */
export const providerSchema = z.strictObject({
  id: z.uuid({ error: 'must be a UUID' }),
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  kind: z.enum(providerKinds),
  /** Where it is, if not at the provider's own address; an `openai-compatible` one needs it. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Allows plain HTTP to other machines. */
  allowInsecure: z.boolean().default(false),
  apiKey: z.string().min(1, 'must not be empty').max(10_000).optional(),
});

export type Provider = z.output<typeof providerSchema>;

/** Where providers of models are kept, with their keys sealed. */
export interface ProviderStore {
  /** By name. */
  list(): Promise<readonly Provider[]>;
  get(id: string): Promise<Provider | undefined>;
  /** Adds it, or replaces the one of the same id. */
  put(provider: Provider): Promise<void>;
  /** False when there is none of that id. */
  remove(id: string): Promise<boolean>;
}
