import { pageSize } from '../call-records.ts';
import {
  type Conversation,
  type ConversationStore,
  type Message,
  noConversation,
} from '../ports/conversation-store.ts';

/** Conversations in memory. */
export function createMemoryConversations(): ConversationStore {
  const kept = new Map<string, { conversation: Conversation; messages: Message[] }>();
  return {
    async list({ owner, limit = 100 } = {}) {
      const found = [...kept.values()]
        .map(({ conversation }) => conversation)
        .filter((conversation) => owner === undefined || conversation.owner === owner)
        .sort(latestFirst);
      return structuredClone(found.slice(0, pageSize(limit)));
    },
    async get(id) {
      return structuredClone(kept.get(id)?.conversation);
    },
    async put(conversation) {
      const messages = kept.get(conversation.id)?.messages ?? [];
      kept.set(conversation.id, { conversation: structuredClone(conversation), messages });
    },
    async remove(id) {
      return kept.delete(id);
    },
    async messages(conversation) {
      return structuredClone(kept.get(conversation)?.messages ?? []);
    },
    async putMessage(conversation, message) {
      const messages = kept.get(conversation)?.messages;
      if (!messages) throw noConversation(conversation);
      const at = messages.findIndex(({ id }) => id === message.id);
      messages.splice(at < 0 ? messages.length : at, 1, structuredClone(message));
    },
    async cutMessages(conversation, from) {
      const messages = kept.get(conversation)?.messages ?? [];
      const at = messages.findIndex(({ id }) => id === from);
      if (at >= 0) messages.splice(at);
    },
    // No other process can have them.
    claim: async (id) => kept.has(id),
    async abandoned() {
      const open = [...kept.values()].map(({ conversation }) => conversation).filter(({ status }) => status !== 'idle');
      return structuredClone(open.sort(latestFirst));
    },
  };
}

function latestFirst(one: Conversation, other: Conversation): number {
  const later = Date.parse(other.updatedAt) - Date.parse(one.updatedAt);
  return later || (other.id < one.id ? -1 : 1);
}
