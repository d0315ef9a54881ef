import type { Provider, ProviderInput } from '../../../api/client.ts';
import type { ProviderPreset } from './provider-presets.ts';

/** A provider as it is being edited. */
export interface ProviderDraft {
  readonly name: string;
  readonly kind: ProviderInput['kind'];
  readonly baseUrl: string;
  readonly allowInsecure: boolean;
  /** As typed. */
  readonly apiKey: string;
  /** The key that is stored stays unless another is typed. */
  readonly keepsKey: boolean;
}

export function draftOfPreset({ name, kind, baseUrl }: ProviderPreset): ProviderDraft {
  return { name: name === 'Other' ? '' : name, kind, baseUrl, allowInsecure: false, apiKey: '', keepsKey: false };
}

export function draftOfProvider({ name, kind, baseUrl, allowInsecure, apiKey }: Provider): ProviderDraft {
  return {
    name,
    kind: kind === 'demo' ? 'openai-compatible' : kind,
    baseUrl: baseUrl ?? '',
    allowInsecure: allowInsecure ?? false,
    apiKey: '',
    keepsKey: apiKey !== undefined,
  };
}

/** What is sent. A key that was not touched is sent as its mask. */
export function toProviderInput({ apiKey, keepsKey, baseUrl, ...draft }: ProviderDraft): ProviderInput {
  const typed = apiKey.trim();
  return {
    ...draft,
    ...(baseUrl.trim() !== '' && { baseUrl: baseUrl.trim() }),
    ...(typed !== '' ? { apiKey: typed } : keepsKey && { apiKey: { set: true } as const }),
  };
}
