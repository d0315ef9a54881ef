import type { LanguageModel } from 'ai';
import type { ModelChoice } from '../../../../contract/records/assistant.ts';
import type { Provider } from '../../../../contract/records/provider.ts';
import type { UrlSecurity } from '../../../../contract/settings/server-url.ts';
import type { Prices } from '../usage.ts';

/** A provider without its key. */
export interface ProviderInfo extends UrlSecurity {
  /** A UUID; `openai`, `anthropic` or `google` for providers from the environment; or `demo`. */
  readonly id: string;
  readonly name: string;
  readonly kind: Provider['kind'] | 'demo';
  readonly source: 'store' | 'environment' | 'built-in';
  readonly baseUrl?: string;
  readonly hasKey: boolean;
}

/** A model of a provider. */
export interface ModelInfo {
  readonly id: string;
  readonly name?: string;
  /** Whether the model accepts images, if the provider reports it. */
  readonly takesImages?: boolean;
}

/** The result of testing a provider. */
export interface ProviderTest {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly models: readonly ModelInfo[];
  /** Why the test failed and what to do about it. */
  readonly problem?: string;
}

/** A provider that may not be stored yet. */
export type ProviderDraft = Omit<Provider, 'id'>;

/** A failed request that may succeed later. */
export interface ModelRetry {
  readonly reason: string;
  /** Undefined if the provider names none. */
  readonly pauseMs?: number;
}

/** A model that is ready for requests. */
export interface OpenedModel {
  readonly model: LanguageModel;
  /** Shown with its answers. */
  readonly label: string;
  /** True if its token counts are estimates. */
  readonly estimatesUsage?: true;
  /** Whether the model accepts media in tool results. */
  readonly takesMedia: boolean;
  /** The configured prices. */
  readonly prices?: Prices;
  /** How long the model may take to begin an answer; one minute. */
  readonly firstOutputMs?: number;
  /** Provider settings sent with every request. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** Explains an error and what to do about it. Never contains the key. */
  explain(error: unknown): string;
  /** Why a request that failed is worth another attempt, and the pause that the provider asks for; undefined if it is not. */
  readRetry?(error: unknown): ModelRetry | undefined;
}

/** The models of the stored providers, of the providers with a key in the environment, and the demo. */
export interface Models {
  /** Stored providers by name, then those from the environment, then the demo. */
  providers(): Promise<readonly ProviderInfo[]>;
  /** Rejects with `NOT_FOUND` for an unknown provider, and with `CONFIG_INVALID` for one whose settings are invalid. */
  open(choice: ModelChoice): Promise<OpenedModel>;
  /** Whether a model accepts images: as declared, otherwise as its provider reports. Undefined if unknown. Never rejects. */
  takesImages(choice: ModelChoice): Promise<boolean | undefined>;
  /** Requests the provider's current list. Rejects with `SERVER_UNREACHABLE` and the reason. */
  list(provider: string, signal?: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Tests a provider that may not be stored. Never rejects. */
  test(draft: ProviderDraft, signal?: AbortSignal): Promise<ProviderTest>;
}
