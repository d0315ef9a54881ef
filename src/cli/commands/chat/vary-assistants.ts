import type { Assistant, AssistantStore } from '../../../storage/ports/assistant-store.ts';
import type { AssistantChanges, ChatHost } from './chat-host.ts';

export interface VariedAssistants {
  readonly assistants: AssistantStore;
  readonly vary: ChatHost['vary'];
}

/** The assistants with changes that are kept nowhere. */
export function varyAssistants(store: AssistantStore): VariedAssistants {
  const changes = new Map<string, AssistantChanges>();
  const changed = (assistant: Assistant): Assistant => ({ ...assistant, ...changes.get(assistant.id) });
  return {
    assistants: {
      list: async () => (await store.list()).map(changed),
      async get(id) {
        const found = await store.get(id);
        return found && changed(found);
      },
      put: (assistant) => store.put(assistant),
      remove: (id) => store.remove(id),
    },
    async vary(assistant, more) {
      changes.set(assistant.id, { ...changes.get(assistant.id), ...more });
      return changed(assistant);
    },
  };
}
