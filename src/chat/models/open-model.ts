import { explainModelError } from './explain-model-error.ts';
import type { OpenedModel } from './models.ts';
import type { ProviderSetup } from './provider-setup.ts';

/** A provider's model through its package of the AI SDK, which is loaded now. */
export async function openModel(setup: ProviderSetup, model: string, send: typeof fetch): Promise<OpenedModel> {
  const { kind, name } = setup;
  return {
    model: await load(setup, model, send),
    label: `${name} · ${model}`,
    // Tool messages of the Chat Completions API are text.
    takesMedia: kind !== 'openai-compatible',
    // What is said here is kept here: OpenAI would store each answer otherwise.
    ...(kind === 'openai' && { providerOptions: { openai: { store: false } } }),
    explain: (error) => explainModelError(error, setup),
  };
}

async function load({ kind, baseUrl, apiKey }: ProviderSetup, model: string, send: typeof fetch) {
  // Address and key are always given: left out, the packages look for them in the environment of the process.
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
