import { createModels } from '../../../chat/models/create-models.ts';
import { dataDirectory } from '../../../config/data-directory.ts';
import { findConfigFile } from '../../../config/load-config.ts';
import { openConfig } from '../../../config/open-config.ts';
import { openStorage } from '../../../storage/open-storage.ts';
import { openGatewayClient } from '../../backend/gateway-client.ts';
import { findGateway } from '../../backend/gateway-file.ts';
import { hasStore, openStore } from '../../backend/open-store.ts';
import { storePlaceOf } from '../../backend/store-of.ts';
import type { CommandContext } from '../../command.ts';
import type { ChatSettings } from './chat-settings.ts';
import { createGatewaySettings } from './gateway-settings.ts';
import { createStoredSettings } from './stored-settings.ts';

/** Opens what is kept: by the running gateway, else in the store. Where none is yet, one is made for those who add to it. */
export async function openSettings(
  context: CommandContext,
  { isAdding = false }: { readonly isAdding?: boolean } = {},
): Promise<ChatSettings & AsyncDisposable> {
  const { env, options } = context;
  const dataDir = dataDirectory(env);
  if (await findGateway(dataDir)) {
    const settings = createGatewaySettings(await openGatewayClient(context));
    return { ...settings, [Symbol.asyncDispose]: async () => {} };
  }
  const file = options.config ?? (await findConfigFile(process.cwd()));
  const { config } = await openConfig(file, { env });
  const place = await storePlaceOf(context);
  // Whoever only looks should not make an empty store.
  const storage =
    isAdding || (await hasStore(place)) ? (await openStore(place)).storage : await openStorage({ kind: 'memory' });
  const models = createModels({ providers: storage.providers, env });
  return {
    ...createStoredSettings({ storage, models, config }),
    [Symbol.asyncDispose]: () => storage.close(),
  };
}
