import type { Provider, ProviderInput } from '../../../api/client.ts';
import type { ProviderPreset } from './provider-presets.ts';

/** A provider in the form. */
export interface ProviderDraft {
  readonly name: string;
  readonly kind: ProviderInput['kind'];
  readonly baseUrl: string;
  readonly allowInsecure: boolean;
  readonly apiKey: string;
  /** Whether the stored key is kept if no other is typed. */
  readonly keepsKey: boolean;
}

/** The initial values of a preset. */
export function presetDraft({ name, kind, baseUrl }: ProviderPreset): ProviderDraft {
  return { name: name === 'Other' ? '' : name, kind, baseUrl, allowInsecure: false, apiKey: '', keepsKey: false };
}

/** The values of a stored provider. */
export function toDraft({ name, kind, baseUrl, allowInsecure, apiKey }: Provider): ProviderDraft {
  return {
    name,
    kind: kind === 'demo' ? 'openai-compatible' : kind,
    baseUrl: baseUrl ?? '',
    allowInsecure: allowInsecure ?? false,
    apiKey: '',
    keepsKey: apiKey !== undefined,
  };
}

/** The body of the request. An unchanged key is sent as its mask. */
export function toProviderInput({ apiKey, keepsKey, baseUrl, ...draft }: ProviderDraft): ProviderInput {
  const typed = apiKey.trim();
  return {
    ...draft,
    baseUrl: baseUrl.trim() || undefined,
    apiKey: typed || (keepsKey ? { set: true } : undefined),
  };
}
