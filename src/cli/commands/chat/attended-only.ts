import type { Conversation, ConversationStore } from '../../../storage/ports/conversation-store.ts';

/** A conversation store that resumes only interrupted conversations the person has open; the others wait for a gateway. */
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
      const abandoned: Conversation[] = [];
      for (const id of attended) {
        const conversation = await store.get(id);
        const isInterrupted = conversation !== undefined && conversation.status !== 'idle';
        if (isInterrupted && (await store.claim(id))) abandoned.push(conversation);
      }
      return abandoned;
    },
  };
}
