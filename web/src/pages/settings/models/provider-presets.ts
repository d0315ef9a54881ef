import type { Provider, ProviderInput } from '../../../api/client.ts';
import { text } from '../../../text/text.ts';

/** The label of each kind of provider. */
export const kinds: Readonly<Record<Provider['kind'], string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  'openai-compatible': 'OpenAI-compatible',
  demo: text.settings.providerPresets.demo,
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
  keyHint: text.settings.providerPresets.platformOpenaiComUnder,
};

/** Common providers. The last one is any OpenAI-compatible service. */
export const presets: readonly ProviderPreset[] = [
  firstPreset,
  {
    name: 'Anthropic',
    kind: 'anthropic',
    baseUrl: '',
    keyHint: text.settings.providerPresets.consoleAnthropicComUnder,
  },
  { name: 'Google', kind: 'google', baseUrl: '', keyHint: text.settings.providerPresets.aistudioGoogleComUnder },
  {
    name: 'Ollama',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyHint: text.settings.providerPresets.localOllamaNeedsNo,
  },
  {
    name: 'LM Studio',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyHint: text.settings.providerPresets.localLmStudioNeeds,
  },
  {
    name: 'vLLM',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyHint: text.settings.providerPresets.onlyIfVllmStarted,
  },
  {
    name: 'OpenRouter',
    kind: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyHint: text.settings.providerPresets.openrouterAiUnderKeys,
  },
  {
    name: text.settings.providerPresets.other,
    kind: 'openai-compatible',
    baseUrl: '',
    keyHint: text.settings.providerPresets.ifProviderRequiresOne,
  },
];
