import { explainModelError } from './explain-model-error.ts';
import type { OpenedModel } from './models.ts';
import type { ProviderSetup } from './provider-setup.ts';

/** Opens a model with the provider's AI SDK package, which is loaded on demand. */
export async function openModel(setup: ProviderSetup, model: string, send: typeof fetch): Promise<OpenedModel> {
  const { kind, name } = setup;
  return {
    model: await load(setup, model, send),
    label: `${name} · ${model}`,
    // Tool messages of the Chat Completions API are text only.
    takesMedia: kind !== 'openai-compatible',
    // By default, OpenAI would store every answer.
    providerOptions: kind === 'openai' ? { openai: { store: false } } : undefined,
    explain: (error) => explainModelError(error, setup),
  };
}

async function load({ kind, baseUrl, apiKey }: ProviderSetup, model: string, send: typeof fetch) {
  // URL and key are always set, because the packages would otherwise read them from the environment.
  const common = { baseURL: baseUrl, apiKey, fetch: send };
  switch (kind) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(common)(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(common)(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle(common)(model);
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const key = apiKey === '' ? {} : { apiKey };
      return createOpenAICompatible({ name: kind, baseURL: baseUrl, fetch: send, includeUsage: true, ...key })(model);
    }
  }
}
