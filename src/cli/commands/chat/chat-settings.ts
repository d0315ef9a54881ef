import type { ModelInfo, ProviderDraft, ProviderInfo } from '../../../chat/models/models.ts';
import type { AssistantStore } from '../../../storage/ports/assistant-store.ts';

/** A server by the id that assistants name it by. */
export interface NamedServer {
  readonly id: string;
  readonly name: string;
}

/** Who answers in conversations, and with what: kept by the running gateway, or in the store that no gateway holds. */
export interface ChatSettings {
  readonly assistants: AssistantStore;
  /** The stored ones by name, then those of the environment, the demo last. */
  providers(): Promise<readonly ProviderInfo[]>;
  /** What a provider says it has. */
  models(provider: string): Promise<readonly ModelInfo[]>;
  addProvider(draft: ProviderDraft): Promise<ProviderInfo>;
  removeProvider(id: string): Promise<void>;
  servers(): Promise<readonly NamedServer[]>;
}
