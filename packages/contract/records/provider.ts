import { z } from 'zod';

export const providerKinds = ['openai', 'anthropic', 'google', 'openai-compatible'] as const;

/** A stored model provider. Its key is sealed. */
export const providerSchema = z.strictObject({
  id: z.uuid({ error: 'must be a UUID' }),
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  kind: z.enum(providerKinds),
  /** The base URL, if it is not the provider's own; required for `openai-compatible`. */
  baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  allowInsecure: z.boolean().default(false).describe('Allows plain http to another machine; false.'),
  apiKey: z.string().min(1, 'must not be empty').max(10_000).optional(),
});

export type Provider = z.output<typeof providerSchema>;

/** The settings that a provider without a record has. */
export const providerDefaults = { allowInsecure: false } satisfies Partial<Provider>;
