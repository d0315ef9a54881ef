import { randomUUID } from 'node:crypto';
import { createModels } from '../../../chat/models/create-models.ts';
import type { ModelInfo, Models, ProviderDraft, ProviderInfo } from '../../../chat/models/models.ts';
import type { Config } from '../../../config/config.ts';
import { dataDirectory } from '../../../config/data-directory.ts';
import { openConfig } from '../../../config/open-config.ts';
import type { ProviderView } from '../../../gateway/api/schemas/models.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { openStorage } from '../../../storage/open-storage.ts';
import { type Assistant, type AssistantStore, assistantSchema } from '../../../storage/ports/assistant-store.ts';
import { providerSchema } from '../../../storage/ports/provider-store.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type GatewayClient, openGatewayClient } from '../../backend/gateway-client.ts';
import { findGateway } from '../../backend/gateway-file.ts';
import { hasStore, locateStore, openStore } from '../../backend/open-store.ts';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../command-errors.ts';

/** A server by the id that assistants refer to. */
export interface NamedServer {
  readonly id: string;
  readonly name: string;
}

/** Assistants, model providers and servers: those of the running gateway, or of the store. */
export interface ChatSettings {
  readonly assistants: AssistantStore;
  /** The stored providers by name, then those of the environment, the demo last. */
  providers(): Promise<readonly ProviderInfo[]>;
  models(provider: string): Promise<readonly ModelInfo[]>;
  addProvider(draft: ProviderDraft): Promise<ProviderInfo>;
  removeProvider(id: string): Promise<void>;
  servers(): Promise<readonly NamedServer[]>;
}

/** Opens the settings of the running gateway, else of the store. A missing store is created only if `createStore` is set. */
export async function openSettings(
  context: CommandContext,
  { createStore = false }: { readonly createStore?: boolean } = {},
): Promise<ChatSettings & AsyncDisposable> {
  const { env, options } = context;
  if (await findGateway(dataDirectory(env))) {
    const settings = createGatewaySettings(await openGatewayClient(context));
    return { ...settings, [Symbol.asyncDispose]: async () => {} };
  }
  const { config } = await openConfig(options.config, { env });
  const location = await locateStore(context);
  const isStored = createStore || (await hasStore(location));
  const storage = isStored ? (await openStore(location)).storage : await openStorage({ kind: 'memory' });
  const models = createModels({ providers: storage.providers, env });
  return {
    ...createStoredSettings({ storage, models, config }),
    [Symbol.asyncDispose]: () => storage.close(),
  };
}

/** The settings in a store. */
export function createStoredSettings(ports: {
  readonly storage: Pick<Storage, 'assistants' | 'providers' | 'servers'>;
  readonly models: Models;
  readonly config: Pick<Config, 'servers'>;
}): ChatSettings {
  const { storage, models, config } = ports;
  return {
    assistants: storage.assistants,
    providers: models.providers,
    models: models.list,
    async addProvider(draft) {
      const parsed = providerSchema.safeParse({ ...draft, id: randomUUID() });
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        throw new UsageError(`The provider's ${issue?.path.join('.')} ${issue?.message}`);
      }
      await storage.providers.put(parsed.data);
      const { id, name, kind, apiKey } = parsed.data;
      return { id, name, kind, source: 'store', hasKey: apiKey !== undefined };
    },
    async removeProvider(id) {
      if (await storage.providers.remove(id)) return;
      throw new ToolwharfError('NOT_FOUND', `There is no stored provider '${id}'`);
    },
    async servers() {
      const configured = config.servers.map(({ name }) => ({ id: name, name }));
      const stored = (await storage.servers.list()).map(({ id, name }) => ({ id, name }));
      return [...configured, ...stored.filter(({ name }) => !configured.some((server) => server.name === name))];
    },
  };
}

/** The settings of the running gateway. */
export function createGatewaySettings(gateway: GatewayClient): ChatSettings {
  const assistantPath = (id: string) => `/api/assistants/${encodeURIComponent(id)}`;
  const providerPath = (id: string) => `/api/providers/${encodeURIComponent(id)}`;
  const toInfo = ({ apiKey, ...provider }: ProviderView): ProviderInfo => ({
    ...provider,
    hasKey: apiKey !== undefined,
  });

  async function unlessMissing<Value>(request: Promise<Value>): Promise<Value | undefined> {
    try {
      return await request;
    } catch (cause) {
      if (cause instanceof ToolwharfError && cause.code === 'NOT_FOUND') return undefined;
      throw cause;
    }
  }

  return {
    assistants: {
      async list() {
        const { assistants } = await gateway.get<{ readonly assistants: readonly object[] }>('/api/assistants');
        return assistants.map((assistant) => assistantSchema.parse(assistant));
      },
      async get(id) {
        const found = await unlessMissing(gateway.get(assistantPath(id)));
        return found === undefined ? undefined : assistantSchema.parse(found);
      },
      async put({ id, ...input }: Assistant) {
        await gateway.put(assistantPath(id), input);
      },
      async remove(id) {
        return (await unlessMissing(gateway.delete(assistantPath(id)).then(() => true))) ?? false;
      },
    },
    async providers() {
      const { providers } = await gateway.get<{ readonly providers: readonly ProviderView[] }>('/api/providers');
      return providers.map(toInfo);
    },
    async models(provider) {
      const path = `${providerPath(provider)}/models`;
      return (await gateway.get<{ readonly models: readonly ModelInfo[] }>(path)).models;
    },
    addProvider: async (draft) => toInfo(await gateway.post<ProviderView>('/api/providers', draft)),
    removeProvider: (id) => gateway.delete(providerPath(id)),
    async servers() {
      return (await gateway.get<{ readonly servers: readonly NamedServer[] }>('/api/servers')).servers;
    },
  };
}
