import type { ProviderView } from '../../../contract/api/models.ts';
import { ToolwharfError } from '../../../contract/errors.ts';
import { type Assistant, assistantSchema, type ModelChoice } from '../../../contract/records/assistant.ts';
import { localTools } from '../../../gateway/features/chat/assistant-policy.ts';
import type { GatewayClient } from '../../core/client/gateway-client.ts';
import { openStored } from '../../core/client/open-stored.ts';
import type { CommandContext } from '../../core/command-context.ts';
import { UsageError } from '../../core/errors.ts';
import { findByName } from '../../core/find-item.ts';

/** A server by the id that assistants refer to. */
export interface NamedServer {
  readonly id: string;
  readonly name: string;
}

/** A model provider without its key. */
export type Provider = Omit<ProviderView, 'apiKey'> & { readonly hasKey: boolean };

/** Assistants, model providers and servers. */
export type ChatSettings = ReturnType<typeof createSettings>;

/** Opens the settings of the running gateway, else the stored ones. A missing store is created only if `createStore` is set. */
export async function openSettings(
  context: CommandContext,
  { createStore = false }: { readonly createStore?: boolean } = {},
): Promise<ChatSettings> {
  return createSettings(await openStored(context, createStore ? 'create' : 'empty'));
}

/** The settings of a gateway. */
export function createSettings(gateway: GatewayClient) {
  return {
    assistants: async () =>
      (await gateway.listAssistants()).assistants.map(({ revision: _, ...one }) => assistantSchema.parse(one)),
    async putAssistant({ id, ...input }: Assistant): Promise<void> {
      await gateway.putAssistant({ path: { assistant: id }, body: input });
    },
    removeAssistant: (id: string) => gateway.removeAssistant({ path: { assistant: id } }),
    /** The stored providers by name, then those of the environment, the demo last. */
    providers: async () => (await gateway.listProviders()).providers.map(toProvider),
    models: async (provider: string) => (await gateway.listModels({ path: { provider } })).models,
    addProvider: async (body: Parameters<GatewayClient['addProvider']>[0]['body']) =>
      toProvider(await gateway.addProvider({ body })),
    removeProvider: (id: string) => gateway.removeProvider({ path: { provider: id } }),
    servers: async (): Promise<readonly NamedServer[]> => (await gateway.listServers()).servers,
  };
}

function toProvider({ apiKey, ...provider }: ProviderView): Provider {
  return { ...provider, hasKey: apiKey !== undefined };
}

/** The assistant with that name or id, or the first one if none is given. */
export function findAssistant(given: string | undefined, assistants: readonly Assistant[]): Assistant {
  const [first] = assistants;
  if (!first) throw new ToolwharfError('NOT_FOUND', 'No assistants: add one with `toolwharf assistants add NAME`');
  return given === undefined ? first : findByName(given, assistants, 'assistant');
}

/** Parses `PROVIDER/MODEL`. The provider is given by name or id; the name of the model may contain slashes. */
export function findModel(given: string, providers: readonly Pick<Provider, 'id' | 'name' | 'kind'>[]): ModelChoice {
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
export function modelLabel(
  { provider, model }: ModelChoice,
  providers: readonly Pick<Provider, 'id' | 'name' | 'kind'>[],
): string {
  const found = providers.find(({ id }) => id === provider);
  if (found?.kind === 'demo') return 'demo (scripted)';
  return `${found?.name ?? provider}/${model}`;
}
