import { pageSize } from '../call-records.ts';
import {
  type Attachment,
  type Conversation,
  type ConversationSearch,
  type ConversationStore,
  type FoundConversation,
  type Message,
  noConversation,
} from '../ports/conversation-store.ts';
import { foldText, matchExactly, matchesAll, matchRoughly, maxFoundMessages, searchableText } from '../text-search.ts';

interface Stored {
  readonly conversation: Conversation;
  readonly messages: Message[];
  readonly attachments: Map<string, Attachment>;
}

/** Conversations in memory. */
export function createMemoryConversations(): ConversationStore {
  const kept = new Map<string, Stored>();
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
      const { messages = [], attachments = new Map() } = kept.get(conversation.id) ?? {};
      kept.set(conversation.id, { conversation: structuredClone(conversation), messages, attachments });
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
    async search(search) {
      const latest = [...kept.values()].sort((one, other) => latestFirst(one.conversation, other.conversation));
      const exact = searchIn(latest, search, matchExactly);
      return structuredClone(exact.length > 0 ? exact : searchIn(latest, search, matchRoughly));
    },
    async putAttachment(conversation, attachment) {
      const stored = kept.get(conversation);
      if (!stored) throw noConversation(conversation);
      stored.attachments.set(attachment.id, attachment);
    },
    attachment: async (conversation, id) => kept.get(conversation)?.attachments.get(id),
    async attachmentTotals(conversation) {
      const sizes = [...(kept.get(conversation)?.attachments.values() ?? [])].map(({ sizeBytes }) => sizeBytes);
      return { count: sizes.length, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
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

function searchIn(
  latest: readonly Stored[],
  { owners, words, limit }: ConversationSearch,
  match: typeof matchExactly,
): FoundConversation[] {
  if (words.length === 0) return [];
  const found = latest.flatMap(({ conversation, messages }) => {
    if (!owners.includes(conversation.owner)) return [];
    const matching = messages.filter((message) => matchesAll(searchableText(message), words, match)).toReversed();
    if (matching.length === 0 && !matchesAll(foldText(conversation.title).text, words, match)) return [];
    return [{ conversation, messages: matching.slice(0, maxFoundMessages) }];
  });
  return found.slice(0, limit);
}
