import type { ProviderRules } from './express-tools.ts';

/** Names `^[a-zA-Z0-9_-]{1,64}$`; an object without combinators at the top. */
export const openAIRules: ProviderRules = { names: { limit: 64 }, properties: 'any', dialect: 'json-schema' };

/** As OpenAI, and property names `^[a-zA-Z0-9_.-]{1,64}$`. Anthropic allows longer names; 64 keeps them the same everywhere. */
export const anthropicRules: ProviderRules = { names: { limit: 64 }, properties: 'rename', dialect: 'json-schema' };

/** Names start with a letter or underscore; schemas in Gemini's subset. */
export const geminiRules: ProviderRules = {
  names: { limit: 64, letterFirst: true },
  properties: 'rename',
  dialect: 'gemini',
};

/** What all providers accept: for frameworks that talk to any of them. */
export const anyProviderRules: ProviderRules = {
  names: { limit: 64, letterFirst: true },
  properties: 'rename',
  dialect: 'json-schema',
};
