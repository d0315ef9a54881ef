import { z } from 'zod';
import { modelChoiceSchema } from '../records/assistant.ts';
import { modelSettingsSchema } from '../records/model-settings.ts';
import { providerKinds, providerSchema } from '../records/provider.ts';
import { answer, body, list } from './named.ts';
import { maskSchema } from './servers.ts';

const { name, kind, baseUrl, apiKey } = providerSchema.shape;
/** Whether the provider may have plain http. */
const securityShape = providerSchema
  .omit({ id: true, name: true, kind: true, baseUrl: true, apiKey: true })
  .partial().shape;

export const providerViewSchema = answer(
  'Provider',
  z.strictObject({
    id: z.string(),
    name: z.string(),
    kind: z.enum([...providerKinds, 'demo']),
    source: z
      .enum(['store', 'environment', 'built-in'])
      .describe('The origin of the provider. Only stored providers can be changed.'),
    baseUrl: z.string().optional().describe("Absent if it is the provider's default address. Only for administrators."),
    ...securityShape,
    apiKey: maskSchema.optional().describe('Present if there is a key. The key itself is never shown.'),
  }),
);

export type ProviderView = z.input<typeof providerViewSchema>;

export const providerListSchema = answer('ProviderList', z.strictObject({ providers: list(providerViewSchema) }));

const inputShape = {
  name,
  kind,
  baseUrl: baseUrl.describe("Required for `openai-compatible`; otherwise the provider's default address."),
  ...securityShape,
  apiKey: z
    .union([apiKey.unwrap(), maskSchema], { error: 'must be text, or {"set": true} to keep the stored value' })
    .optional(),
};

export const providerInputSchema = body('ProviderInput', z.strictObject(inputShape));

export type ProviderInput = z.output<typeof providerInputSchema>;

export const newProviderInputSchema = body(
  'NewProviderInput',
  z.strictObject({
    ...inputShape,
    assistantModel: modelChoiceSchema.shape.model
      .optional()
      .describe('Also creates an assistant with this model and the tools of all enabled servers.'),
  }),
);

export const newProviderSchema = answer(
  'NewProvider',
  z.strictObject({
    ...providerViewSchema.shape,
    assistant: z.uuid().optional().describe('The id of the assistant that was created with it.'),
  }),
);

export const providerTestInputSchema = body(
  'ProviderTestInput',
  z.strictObject({
    ...inputShape,
    provider: z.string().optional().describe('The stored provider that a masked key refers to.'),
  }),
);

const modelSchema = answer(
  'Model',
  z.strictObject({
    id: z.string(),
    name: z.string().optional(),
    takesImages: z.boolean().optional().describe('Whether the model accepts images, if the provider reports it.'),
  }),
);

const { shape } = modelSettingsSchema;
const settingsShape = {
  ...shape,
  takesImages: shape.takesImages.describe("Whether the model accepts images; the provider's answer if absent."),
  inputPrice: shape.inputPrice.describe('US dollars per million input tokens.'),
  cachedInputPrice: shape.cachedInputPrice.describe(
    'US dollars per million input tokens that the provider reads from its cache; `inputPrice` if absent.',
  ),
  outputPrice: shape.outputPrice.describe('US dollars per million output tokens.'),
  firstOutputMs: shape.firstOutputMs.describe(
    'How long the model may take to begin an answer, in milliseconds; one minute if absent.',
  ),
};

export const modelSettingsViewSchema = answer('ModelSettings', z.strictObject(settingsShape));

export const modelSettingsListSchema = answer(
  'ModelSettingsList',
  z.strictObject({ settings: list(modelSettingsViewSchema) }),
);

export const modelSettingsInputSchema = body(
  'ModelSettingsInput',
  z
    .strictObject(settingsShape)
    .refine(({ inputPrice, outputPrice }) => (inputPrice === undefined) === (outputPrice === undefined), {
      path: ['outputPrice'],
      error: 'must be set together with the input price',
    })
    .refine(({ inputPrice, cachedInputPrice }) => inputPrice !== undefined || cachedInputPrice === undefined, {
      path: ['inputPrice'],
      error: 'must be set together with the price of cached tokens',
    }),
);

export const modelListSchema = answer('ModelList', z.strictObject({ models: list(modelSchema) }));

export const providerTestSchema = answer(
  'ProviderTest',
  z.strictObject({
    ok: z.boolean(),
    latencyMs: z.int(),
    models: list(modelSchema),
    problem: z.string().optional().describe('The problem and its remedy.'),
  }),
);
