import { randomUUID } from 'node:crypto';
import type { Models } from '../../../chat/models/models.ts';
import type { Config } from '../../../config/config.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { providerSchema } from '../../../storage/ports/provider-store.ts';
import type { Storage } from '../../../storage/storage.ts';
import { UsageError } from '../../usage-error.ts';
import type { ChatSettings } from './chat-settings.ts';

export interface StoredSettingsOptions {
  readonly storage: Pick<Storage, 'assistants' | 'providers' | 'servers'>;
  readonly models: Models;
  readonly config: Pick<Config, 'servers'>;
}

/** What the store of the data directory holds. */
export function createStoredSettings({ storage, models, config }: StoredSettingsOptions): ChatSettings {
  return {
    assistants: storage.assistants,
    providers: models.providers,
    models: models.list,
    async addProvider(draft) {
      const checked = providerSchema.safeParse({ ...draft, id: randomUUID() });
      if (!checked.success) {
        const [issue] = checked.error.issues;
        throw new UsageError(`The provider's ${issue?.path.join('.')} ${issue?.message}`);
      }
      await storage.providers.put(checked.data);
      const { id, name, kind, apiKey } = checked.data;
      return { id, name, kind, source: 'store', hasKey: apiKey !== undefined };
    },
    async removeProvider(id) {
      if (!(await storage.providers.remove(id)))
        throw new ToolwharfError('NOT_FOUND', `There is no stored provider '${id}'`);
    },
    async servers() {
      const own = config.servers.map(({ name }) => ({ id: name, name }));
      const stored = (await storage.servers.list()).map(({ id, name }) => ({ id, name }));
      return [...own, ...stored.filter(({ name }) => !own.some((server) => server.name === name))];
    },
  };
}
