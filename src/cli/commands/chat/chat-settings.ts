import { randomUUID } from 'node:crypto';
import { localTools } from '../../../chat/assistant-policy.ts';
import { createModels } from '../../../chat/models/create-models.ts';
import type { ModelInfo, Models, ProviderDraft, ProviderInfo } from '../../../chat/models/models.ts';
import type { Config } from '../../../config/config.ts';
import { openConfig } from '../../../config/open-config.ts';
import type { ProviderView } from '../../../gateway/api/schemas/models.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { openStorage } from '../../../storage/open-storage.ts';
import {
  type Assistant,
  type AssistantStore,
  assistantSchema,
  type ModelChoice,
} from '../../../storage/ports/assistant-store.ts';
import { providerSchema } from '../../../storage/ports/provider-store.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { GatewayClient } from '../../backend/gateway-client.ts';
import { hasStore, locateStore, openStore } from '../../backend/open-store.ts';
import { reportLocal, selectGateway } from '../../backend/select-gateway.ts';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { findByName } from '../../find-item.ts';

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
  const { env, cwd, options } = context;
  const gateway = await selectGateway(context);
  if (gateway) return { ...createGatewaySettings(gateway), [Symbol.asyncDispose]: async () => {} };
  const { config } = await openConfig(options.config, { env, cwd });
  const location = await locateStore(context);
  reportLocal(location.dataDir, context);
  const isStored = createStore || (await hasStore(location));
  const storage = isStored ? (await openStore(location)).storage : await openStorage({ kind: 'memory' });
  const models = createModels({ providers: storage.providers, settings: storage.modelSettings, env });
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

/** The assistant with that name or id, or the first one if none is given. */
export function findAssistant(given: string | undefined, assistants: readonly Assistant[]): Assistant {
  const [first] = assistants;
  if (!first) throw new ToolwharfError('NOT_FOUND', 'No assistants: add one with `toolwharf assistants add NAME`');
  return given === undefined ? first : findByName(given, assistants, 'assistant');
}

/** Parses `PROVIDER/MODEL`. The provider is given by name or id; the name of the model may contain slashes. */
export function findModel(given: string, providers: readonly ProviderInfo[]): ModelChoice {
  const at = given.indexOf('/');
  const provider = findByName(at === -1 ? given : given.slice(0, at), providers, 'provider');
  const model = at === -1 ? '' : given.slice(at + 1).trim();
  if (model === '' && provider.kind === 'demo') return { provider: provider.id, model: 'demo' };
  if (model === '') throw new UsageError(`Which model of ${provider.name}? Write ${given.replace(/\/$/, '')}/MODEL`);
  return { provider: provider.id, model };
}

/** The ids of comma-separated server names. `local` stands for the local tools, unless a server has that name. */
export function findServers(given: string, servers: readonly NamedServer[]): string[] {
  const names = given.split(',').map((name) => name.trim());
  const isLocal = (name: string) => name === localTools && !servers.some((server) => server.name === name);
  return names.filter(Boolean).map((name) => (isLocal(name) ? localTools : findByName(name, servers, 'server').id));
}

/** The display name of a model: `OpenAI/gpt-5`, `demo (scripted)`. */
export function modelLabel({ provider, model }: ModelChoice, providers: readonly ProviderInfo[]): string {
  const found = providers.find(({ id }) => id === provider);
  if (found?.kind === 'demo') return 'demo (scripted)';
  return `${found?.name ?? provider}/${model}`;
}
