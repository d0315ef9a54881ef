import type { Assistant, AssistantStore } from '../ports/assistant-store.ts';

/** Assistants that are known as long as the process lasts. */
export function createMemoryAssistants(): AssistantStore {
  const assistants = new Map<string, Assistant>();
  return {
    async list() {
      return structuredClone([...assistants.values()].sort((one, other) => (one.name < other.name ? -1 : 1)));
    },
    async get(id) {
      return structuredClone(assistants.get(id));
    },
    async put(assistant) {
      assistants.set(assistant.id, structuredClone(assistant));
    },
    async remove(id) {
      return assistants.delete(id);
    },
  };
}
