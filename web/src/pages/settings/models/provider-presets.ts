import type { Provider, ProviderInput } from '../../../api/client.ts';

/** The kinds of providers, in words. */
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
  /** Where a key comes from, or that none is needed. */
  readonly keyHint: string;
}

/** What is offered first. */
export const firstPreset: ProviderPreset = {
  name: 'OpenAI',
  kind: 'openai',
  baseUrl: '',
  keyHint: 'From platform.openai.com, under API keys.',
};

/** What most people add. The last one is everything else that speaks OpenAI's language. */
export const presets: readonly ProviderPreset[] = [
  firstPreset,
  { name: 'Anthropic', kind: 'anthropic', baseUrl: '', keyHint: 'From console.anthropic.com, under API keys.' },
  { name: 'Google', kind: 'google', baseUrl: '', keyHint: 'From aistudio.google.com, under Get API key.' },
  {
    name: 'Ollama',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyHint: 'Ollama on this machine needs none.',
  },
  {
    name: 'LM Studio',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyHint: 'LM Studio on this machine needs none.',
  },
  {
    name: 'vLLM',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyHint: 'Only if it was started with --api-key.',
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
    keyHint: 'If it asks for one.',
  },
];
