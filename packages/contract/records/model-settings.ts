import { z } from 'zod';

const price = z.number().min(0, 'must not be negative').max(1_000_000, 'must be at most 1000000').optional();

/** The settings of one model of a provider, in addition to the data that the provider reports. */
export const modelSettingsSchema = z.strictObject({
  provider: z.string().min(1, 'must not be empty').max(100),
  model: z.string().trim().min(1, 'must not be empty').max(200),
  /** Whether the model accepts images; undefined if the provider's answer counts. */
  takesImages: z.boolean().optional(),
  /** US dollars per million input tokens. */
  inputPrice: price,
  /** US dollars per million input tokens that the provider reads from its cache; `inputPrice` if undefined. */
  cachedInputPrice: price,
  /** US dollars per million output tokens. */
  outputPrice: price,
  /** How long the model may take to begin an answer; one minute if undefined. */
  firstOutputMs: z.int().min(1_000, 'must be at least 1000').max(3_600_000, 'must be at most 3600000').optional(),
});

export type ModelSettings = z.output<typeof modelSettingsSchema>;
