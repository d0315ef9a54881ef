import type { ProviderRules } from './express-tools.ts';

/** Names match `^[a-zA-Z0-9_-]{1,64}$`; the top-level schema is an object without combinators. */
export const openAIRules: ProviderRules = { names: { limit: 64 }, properties: 'any', dialect: 'json-schema' };

/** Like OpenAI, and property names match `^[a-zA-Z0-9_.-]{1,64}$`. Anthropic allows longer tool names; 64 keeps them the same everywhere. */
export const anthropicRules: ProviderRules = { names: { limit: 64 }, properties: 'rename', dialect: 'json-schema' };

/** Names start with a letter or underscore; schemas use Gemini's subset. */
export const geminiRules: ProviderRules = {
  names: { limit: 64, letterFirst: true },
  properties: 'rename',
  dialect: 'gemini',
};

/** Accepted by all providers, for frameworks that support several. */
export const anyProviderRules: ProviderRules = {
  names: { limit: 64, letterFirst: true },
  properties: 'rename',
  dialect: 'json-schema',
};
