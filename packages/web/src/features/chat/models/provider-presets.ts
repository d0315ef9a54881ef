import type { Provider, ProviderInput } from '../../../api/client.ts';

/** The label of each kind of provider. */
export const kinds: Readonly<Record<Provider['kind'], string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  'openai-compatible': 'OpenAI-compatible',
  demo: 'Demo',
};

export interface ProviderPreset {
  readonly name: string;
  readonly kind: ProviderInput['kind'];
  readonly baseUrl: string;
  /** The page on which to get a key. */
  readonly keyHint: string;
}

/** The preset that is selected first. */
export const firstPreset: ProviderPreset = {
  name: 'OpenAI',
  kind: 'openai',
  baseUrl: '',
  keyHint: 'From platform.openai.com, under API keys.',
};

/** Common providers. The last one is any OpenAI-compatible service. */
export const presets: readonly ProviderPreset[] = [
  firstPreset,
  {
    name: 'Anthropic',
    kind: 'anthropic',
    baseUrl: '',
    keyHint: 'From console.anthropic.com, under API keys.',
  },
  { name: 'Google', kind: 'google', baseUrl: '', keyHint: 'From aistudio.google.com, under Get API key.' },
  {
    name: 'Ollama',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyHint: 'A local Ollama needs no key.',
  },
  {
    name: 'LM Studio',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyHint: 'A local LM Studio needs no key.',
  },
  {
    name: 'vLLM',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyHint: 'Only if vLLM was started with --api-key.',
  },
  {
    name: 'OpenRouter',
    kind: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyHint: 'From openrouter.ai, under Keys.',
  },
  {
    name: 'Other',
    kind: 'openai-compatible',
    baseUrl: '',
    keyHint: 'If the provider requires one.',
  },
];
