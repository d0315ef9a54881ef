import type { LanguageModel } from 'ai';
import type { ModelChoice } from '../../storage/ports/assistant-store.ts';
import type { Provider } from '../../storage/ports/provider-store.ts';

/** A provider as it is shown: everything but its key. */
export interface ProviderInfo {
  /** What assistants name it by: a UUID, `openai`, `anthropic` or `google` from the environment, or `demo`. */
  readonly id: string;
  readonly name: string;
  readonly kind: Provider['kind'] | 'demo';
  readonly source: 'store' | 'environment' | 'built-in';
  readonly baseUrl?: string;
  readonly allowInsecure?: boolean;
  readonly hasKey: boolean;
}

/** A model a provider says it has. */
export interface ModelInfo {
  readonly id: string;
  readonly name?: string;
}

/** What trying a provider showed. */
export interface ProviderTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly models: readonly ModelInfo[];
  /** Why it is not ok, for a person to act on. */
  readonly problem?: string;
}

/** A provider that may not be stored yet. */
export type ProviderDraft = Omit<Provider, 'id'>;

/** A model, ready to be asked. */
export interface OpenedModel {
  readonly model: LanguageModel;
  /** As it is shown with its answers. */
  readonly label: string;
  /** Its token counts are estimates. */
  readonly estimatesUsage?: true;
  /** Whether pictures in the results of tools reach the model. */
  readonly takesMedia: boolean;
  /** Settings that the provider needs with every request. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** What went wrong, as a sentence a person can act on. Never holds the key. */
  explain(error: unknown): string;
}

/** Every model that can be asked: of the stored providers, of those the environment has a key for, and the demo. */
export interface Models {
  /** The stored ones by name, then those of the environment, the demo last. */
  providers(): Promise<readonly ProviderInfo[]>;
  /** Rejects with `NOT_FOUND` for a provider that is not there, and with `CONFIG_INVALID` for one that can't be used as it is set up. */
  open(choice: ModelChoice): Promise<OpenedModel>;
  /** What a provider says it has, asked anew. Rejects with `SERVER_UNREACHABLE` and the reason. */
  list(provider: string, signal?: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Tries a provider that need not be stored. Never rejects. */
  test(draft: ProviderDraft, signal?: AbortSignal): Promise<ProviderTest>;
}
