import type { ModelInfo, ProviderInfo } from '../../../chat/models/models.ts';
import type { ProviderView } from '../../../gateway/api/schemas/models.ts';
import { ToolwharfError } from '../../../kernel/errors.ts';
import { type Assistant, assistantSchema } from '../../../storage/ports/assistant-store.ts';
import type { GatewayClient } from '../../backend/gateway-client.ts';
import type { ChatSettings, NamedServer } from './chat-settings.ts';

/** What the running gateway keeps, as its administrator. */
export function createGatewaySettings(gateway: GatewayClient): ChatSettings {
  async function missing<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
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
      get: (id) => missing(async () => assistantSchema.parse(await gateway.get(assistantPath(id)))),
      async put({ id, ...input }: Assistant) {
        await gateway.put(assistantPath(id), input);
      },
      async remove(id) {
        return (await missing(() => gateway.delete(assistantPath(id)).then(() => true))) ?? false;
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

function assistantPath(id: string): string {
  return `/api/assistants/${encodeURIComponent(id)}`;
}

function providerPath(id: string): string {
  return `/api/providers/${encodeURIComponent(id)}`;
}

function toInfo({ apiKey, ...provider }: ProviderView): ProviderInfo {
  return { ...provider, hasKey: apiKey !== undefined };
}
