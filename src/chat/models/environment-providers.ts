import type { Provider } from '../../storage/ports/provider-store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Providers that the environment has a key for, under the names their own tools give the variables. */
export function environmentProviders(env: Environment): readonly Provider[] {
  return known.flatMap(({ keys, base, ...provider }) => {
    const apiKey = keys.map((name) => env[name]?.trim()).find((key) => key);
    const baseUrl = base.map((name) => env[name]?.trim()).find((url) => url);
    return apiKey ? [{ ...provider, allowInsecure: false, apiKey, ...(baseUrl && { baseUrl }) }] : [];
  });
}

const known = [
  { id: 'openai', name: 'OpenAI', kind: 'openai', keys: ['OPENAI_API_KEY'], base: ['OPENAI_BASE_URL'] },
  { id: 'anthropic', name: 'Anthropic', kind: 'anthropic', keys: ['ANTHROPIC_API_KEY'], base: ['ANTHROPIC_BASE_URL'] },
  {
    id: 'google',
    name: 'Google',
    kind: 'google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
    base: ['GOOGLE_GENERATIVE_AI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
  },
] as const;
