import type { ModelSettings } from '../../../contract/records/model-settings.ts';

/** The store of model settings. */
export interface ModelSettingsStore {
  list(): Promise<readonly ModelSettings[]>;
  get(provider: string, model: string): Promise<ModelSettings | undefined>;
  /** Adds the settings, or replaces those of the same model. */
  put(settings: ModelSettings): Promise<void>;
  /** Returns false if there are none for the model. */
  remove(provider: string, model: string): Promise<boolean>;
}
