import type { Conversation, ConversationStore } from '../../../storage/ports/conversation-store.ts';

/** The conversations, of which only those that a person goes on with here are taken up: the others wait for a gateway. */
export function attendedOnly(attended: ReadonlySet<string>, store: ConversationStore): ConversationStore {
  return {
    list: (filter) => store.list(filter),
    get: (id) => store.get(id),
    put: (conversation) => store.put(conversation),
    remove: (id) => store.remove(id),
    messages: (conversation) => store.messages(conversation),
    putMessage: (conversation, message) => store.putMessage(conversation, message),
    cutMessages: (conversation, from) => store.cutMessages(conversation, from),
    claim: (id) => store.claim(id),
    async abandoned() {
      const left: Conversation[] = [];
      for (const id of attended) {
        const conversation = await store.get(id);
        const isLeft = conversation !== undefined && conversation.status !== 'idle';
        if (isLeft && (await store.claim(id))) left.push(conversation);
      }
      return left;
    },
  };
}
